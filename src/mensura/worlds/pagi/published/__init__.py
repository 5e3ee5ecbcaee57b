"""Task files that the authors of PAGI World published, read into ours."""
