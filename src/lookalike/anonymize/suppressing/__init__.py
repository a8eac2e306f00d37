"""Cells and records that are given up."""
