//! SSE4.1, AVX2 and AVX-512 with VNNI.

use std::arch::x86_64::*;

use super::Kernel;
use super::vector::{Simd, kernel};

kernel!(
    /// 128 bits: every processor this program is compiled for.
    SSE41, sse41, "sse4.1", Sse41, "sse4.1,ssse3", || is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3")
);
kernel!(
    /// 256 bits.
    AVX2, avx2, "avx2", Avx2, "avx2", || is_x86_feature_detected!("avx2")
);
kernel!(
    /// 512 bits, with products of bytes summed at once.
    AVX512, avx512, "avx512", Avx512, "avx512f,avx512bw,avx512vnni",
    || is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni")
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

struct Sse41;

impl Simd for Sse41 {
    type V = __m128i;
    const LANES: usize = 8;

    functions! {
        load(from: *const i16) -> __m128i { _mm_loadu_si128(from.cast()) }
        store(to: *mut i16, v: __m128i) { _mm_storeu_si128(to.cast(), v) }
        zero() -> __m128i { _mm_setzero_si128() }
        add(a: __m128i, b: __m128i) -> __m128i { _mm_add_epi16(a, b) }
        sub(a: __m128i, b: __m128i) -> __m128i { _mm_sub_epi16(a, b) }
        clamp_255(v: __m128i) -> __m128i { _mm_min_epi16(_mm_max_epi16(v, _mm_setzero_si128()), _mm_set1_epi16(255)) }
        clamp_254(v: __m128i) -> __m128i { _mm_min_epi16(_mm_max_epi16(v, _mm_setzero_si128()), _mm_set1_epi16(254)) }
        product_shifted(a: __m128i, b: __m128i) -> __m128i { _mm_srli_epi16::<9>(_mm_mullo_epi16(a, b)) }
        add_squares(sums: __m128i, values: __m128i, weights: __m128i) -> __m128i {
            _mm_add_epi32(sums, _mm_madd_epi16(values, _mm_mullo_epi16(values, weights)))
        }
        add_products(sums: __m128i, unsigned: *const u8, signed: *const i8) -> __m128i {
            // Pairs stay below 2 * 127 * 128, so that nothing is saturated.
            let pairs = _mm_maddubs_epi16(_mm_loadu_si128(unsigned.cast()), _mm_loadu_si128(signed.cast()));
            _mm_add_epi32(sums, _mm_madd_epi16(pairs, _mm_set1_epi16(1)))
        }
        total(sums: __m128i) -> i64 {
            let lanes: [i32; 4] = std::mem::transmute(sums);
            lanes.into_iter().map(i64::from).sum()
        }
        store_bytes(to: *mut u8, low: __m128i, high: __m128i) {
            let bytes = _mm_packs_epi16(low, high);
            _mm_storeu_si128(to.cast(), _mm_max_epi8(bytes, _mm_setzero_si128()));
        }
    }
}

struct Avx2;

impl Simd for Avx2 {
    type V = __m256i;
    const LANES: usize = 16;

    functions! {
        load(from: *const i16) -> __m256i { _mm256_loadu_si256(from.cast()) }
        store(to: *mut i16, v: __m256i) { _mm256_storeu_si256(to.cast(), v) }
        zero() -> __m256i { _mm256_setzero_si256() }
        add(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi16(a, b) }
        sub(a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi16(a, b) }
        clamp_255(v: __m256i) -> __m256i {
            _mm256_min_epi16(_mm256_max_epi16(v, _mm256_setzero_si256()), _mm256_set1_epi16(255))
        }
        clamp_254(v: __m256i) -> __m256i {
            _mm256_min_epi16(_mm256_max_epi16(v, _mm256_setzero_si256()), _mm256_set1_epi16(254))
        }
        product_shifted(a: __m256i, b: __m256i) -> __m256i { _mm256_srli_epi16::<9>(_mm256_mullo_epi16(a, b)) }
        add_squares(sums: __m256i, values: __m256i, weights: __m256i) -> __m256i {
            _mm256_add_epi32(sums, _mm256_madd_epi16(values, _mm256_mullo_epi16(values, weights)))
        }
        add_products(sums: __m256i, unsigned: *const u8, signed: *const i8) -> __m256i {
            // Pairs stay below 2 * 127 * 128, so that nothing is saturated.
            let pairs = _mm256_maddubs_epi16(_mm256_loadu_si256(unsigned.cast()), _mm256_loadu_si256(signed.cast()));
            _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
        total(sums: __m256i) -> i64 {
            let lanes: [i32; 8] = std::mem::transmute(sums);
            lanes.into_iter().map(i64::from).sum()
        }
        store_bytes(to: *mut u8, low: __m256i, high: __m256i) {
            // Packing works by halves of the vectors; the quarters are put in order afterwards.
            let bytes = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
            _mm256_storeu_si256(to.cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes));
        }
    }
}

struct Avx512;

impl Simd for Avx512 {
    type V = __m512i;
    const LANES: usize = 32;

    functions! {
        load(from: *const i16) -> __m512i { _mm512_loadu_si512(from.cast()) }
        store(to: *mut i16, v: __m512i) { _mm512_storeu_si512(to.cast(), v) }
        zero() -> __m512i { _mm512_setzero_si512() }
        add(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi16(a, b) }
        sub(a: __m512i, b: __m512i) -> __m512i { _mm512_sub_epi16(a, b) }
        clamp_255(v: __m512i) -> __m512i {
            _mm512_min_epi16(_mm512_max_epi16(v, _mm512_setzero_si512()), _mm512_set1_epi16(255))
        }
        clamp_254(v: __m512i) -> __m512i {
            _mm512_min_epi16(_mm512_max_epi16(v, _mm512_setzero_si512()), _mm512_set1_epi16(254))
        }
        product_shifted(a: __m512i, b: __m512i) -> __m512i { _mm512_srli_epi16::<9>(_mm512_mullo_epi16(a, b)) }
        add_squares(sums: __m512i, values: __m512i, weights: __m512i) -> __m512i {
            _mm512_add_epi32(sums, _mm512_madd_epi16(values, _mm512_mullo_epi16(values, weights)))
        }
        add_products(sums: __m512i, unsigned: *const u8, signed: *const i8) -> __m512i {
            _mm512_dpbusd_epi32(sums, _mm512_loadu_si512(unsigned.cast()), _mm512_loadu_si512(signed.cast()))
        }
        total(sums: __m512i) -> i64 {
            let lanes: [i32; 16] = std::mem::transmute(sums);
            lanes.into_iter().map(i64::from).sum()
        }
        store_bytes(to: *mut u8, low: __m512i, high: __m512i) {
            // Saturated as signed numbers, in order.
            let halves = [_mm512_cvtsepi16_epi8(low), _mm512_cvtsepi16_epi8(high)];
            for (i, half) in halves.into_iter().enumerate() {
                _mm256_storeu_si256(to.add(32 * i).cast(), _mm256_max_epi8(half, _mm256_setzero_si256()));
            }
        }
    }
}
