"""Read models: what people look at, rebuilt from the log on demand."""
