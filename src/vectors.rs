//! Work compiled for the vector instructions of the machine that it runs on.
//!
//! Closures given to `pulp` itself are called by way of `FnOnce`; those that only borrow are no `FnOnce` of their own,
//! and what stands between was seen not to be inlined: their loops then ran on half as wide registers. Here they are
//! called as what they are. Give them `#[inline(always)]`.

use pulp::{Arch, Simd, WithSimd};

/// Does work that changes nothing.
pub(crate) fn vectorised<R>(work: impl Fn() -> R) -> R {
    Arch::new().dispatch(Reading(work))
}

/// Does work that changes what it borrows.
pub(crate) fn vectorised_mut<R>(work: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Changing(work))
}

struct Reading<F>(F);

impl<R, F: Fn() -> R> WithSimd for Reading<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> R {
        (self.0)()
    }
}

struct Changing<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Changing<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}
