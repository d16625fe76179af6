//! The tile for AVX-VNNI: `vpdpbusd` on registers of 32 bytes.

super::x86::x86_tile! {
    features: "avx2,avxvnni", register: __m256i, lanes: 8,
    rows: 6, registers: 2,
    layout: Layout::Quads, bias: 128,
    load: _mm256_loadu_si256, store: _mm256_storeu_si256, spread: _mm256_set1_epi32,
    // One factor is taken as unsigned, the other as signed: flipping the top bit subtracts 128.
    prepare: |columns| _mm256_xor_si256(columns, _mm256_set1_epi8(i8::MIN)),
    multiply_add: |sum, a, b| _mm256_dpbusd_avx_epi32(sum, a, b),
}
