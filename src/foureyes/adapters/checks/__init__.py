"""Runs the commands of the quality pipeline in throwaway checkouts and reads their reports. (D5)"""
