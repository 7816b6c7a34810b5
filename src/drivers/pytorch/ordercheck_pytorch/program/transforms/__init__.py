"""One file a transform, each written as an ordinary user would: it acts on the model that it is handed, as earlier ones
left it, and knows nothing of the rest of the stack. What raises, raises."""
