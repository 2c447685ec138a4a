"""Bots."""

from kleos.core.kernel.bots import random_move

greedy = random_move
