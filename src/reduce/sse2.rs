//! SSE2.
