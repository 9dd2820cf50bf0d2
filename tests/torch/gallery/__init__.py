"""Models of libraries with small random weights: what they take, which dims vary, and how they are padded."""
