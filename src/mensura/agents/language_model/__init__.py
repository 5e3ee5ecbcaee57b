"""Language models as subjects, behind an API of OpenAI's kind."""
