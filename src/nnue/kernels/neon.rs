//! NEON, which every 64-bit ARM processor has.

use std::arch::aarch64::*;

use super::Kernel;
use super::vector::{Simd, kernel};

kernel!(
    /// 128 bits.
    NEON, functions, "neon", Neon, "neon", || true
);

/// Functions of a [`Simd`] whose callers promise what the trait asks for.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(
            #[inline(always)]
            unsafe fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller promises the processor and the memory.
                unsafe { $body }
            }
        )*
    };
}

struct Neon;

impl Simd for Neon {
    type V = int16x8_t;
    const LANES: usize = 8;

    functions! {
        load(from: *const i16) -> int16x8_t { vld1q_s16(from) }
        store(to: *mut i16, v: int16x8_t) { vst1q_s16(to, v) }
        zero() -> int16x8_t { vdupq_n_s16(0) }
        add(a: int16x8_t, b: int16x8_t) -> int16x8_t { vaddq_s16(a, b) }
        sub(a: int16x8_t, b: int16x8_t) -> int16x8_t { vsubq_s16(a, b) }
        clamp_255(v: int16x8_t) -> int16x8_t { vminq_s16(vmaxq_s16(v, vdupq_n_s16(0)), vdupq_n_s16(255)) }
        clamp_254(v: int16x8_t) -> int16x8_t { vminq_s16(vmaxq_s16(v, vdupq_n_s16(0)), vdupq_n_s16(254)) }
        product_shifted(a: int16x8_t, b: int16x8_t) -> int16x8_t {
            vreinterpretq_s16_u16(vshrq_n_u16::<9>(vreinterpretq_u16_s16(vmulq_s16(a, b))))
        }
        add_squares(sums: int16x8_t, values: int16x8_t, weights: int16x8_t) -> int16x8_t {
            let products = vmulq_s16(values, weights);
            let sums = vmlal_s16(vreinterpretq_s32_s16(sums), vget_low_s16(values), vget_low_s16(products));
            vreinterpretq_s16_s32(vmlal_high_s16(sums, values, products))
        }
        add_products(sums: int16x8_t, unsigned: *const u8, signed: *const i8) -> int16x8_t {
            // Up to 127 they are the same as signed bytes.
            let (a, b) = (vreinterpretq_s8_u8(vld1q_u8(unsigned)), vld1q_s8(signed));
            let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
            let high = vmull_high_s8(a, b);
            vreinterpretq_s16_s32(vpadalq_s16(vpadalq_s16(vreinterpretq_s32_s16(sums), low), high))
        }
        total(sums: int16x8_t) -> i64 { vaddlvq_s32(vreinterpretq_s32_s16(sums)) }
        store_bytes(to: *mut u8, low: int16x8_t, high: int16x8_t) {
            let bytes = vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
            vst1q_s8(to.cast(), vmaxq_s8(bytes, vdupq_n_s8(0)));
        }
    }
}
