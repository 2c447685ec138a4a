"""The log: canonical bytes, sealed parts, proofs, and the store that appends atomically."""
