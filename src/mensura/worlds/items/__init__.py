"""Items: questions with one answer, as tests of intelligence have them."""
