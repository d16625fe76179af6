//! The tile for AVX2: `vpmaddwd` multiplies 16 numbers of 16 bits and adds the products by twos.
//!
//! (`vpmaddubsw` multiplies 32 bytes, but its 16-bit sums of two products saturate. Splitting the bytes into parts
//! small enough takes five instructions or so where this takes four.)

super::x86::x86_tile! {
    features: "avx2", register: __m256i, lanes: 8,
    rows: 6, registers: 2,
    layout: Layout::Pairs, bias: 0,
    load: _mm256_loadu_si256, store: _mm256_storeu_si256, spread: _mm256_set1_epi32,
    prepare: |columns| columns,
    multiply_add: |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)),
}
