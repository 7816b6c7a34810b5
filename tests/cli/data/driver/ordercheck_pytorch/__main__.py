# Stands for the driver of the pytorch engine where a test needs only the folder: the Pythons of these tests are scripts.
