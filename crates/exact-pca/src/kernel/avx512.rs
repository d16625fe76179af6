//! The tile for AVX-512 VNNI: `vpdpbusd` multiplies 64 bytes by 64 and adds the products by fours.

super::x86::x86_tile! {
    features: "avx512f,avx512bw,avx512vnni", register: __m512i, lanes: 16,
    rows: 8, registers: 3,
    layout: Layout::Quads, bias: 128,
    load: _mm512_loadu_si512, store: _mm512_storeu_si512, spread: _mm512_set1_epi32,
    // One factor is taken as unsigned, the other as signed: flipping the top bit subtracts 128.
    prepare: |columns| _mm512_xor_si512(columns, _mm512_set1_epi8(i8::MIN)),
    multiply_add: |sum, a, b| _mm512_dpbusd_epi32(sum, a, b),
}
