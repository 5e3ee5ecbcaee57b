"""FraMoTEC: task-environments from building blocks (Thorarensen, Thorisson, Bieger and Sigurdardottir, 2016)."""
