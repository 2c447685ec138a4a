"""Bots."""
from kleos.core.kernel.bots import random_move as greedy
