import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "data"), str(HERE.parents[1] / "src/drivers/pytorch")]
