//! Pairs of points.
