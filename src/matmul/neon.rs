//! NEON.
