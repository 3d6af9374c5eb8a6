/* cluster_layout: which CTA of a cluster is who, and which of them share what; plain arithmetic on the rank.
 *
 * A cluster of V x M x N x K CTAs: V CTAs form the group of one MMA instruction (2 with cta_group::2, else
 * 1), and M, N, K groups stand along the modes of the GEMM. The rank runs through v fastest:
 *
 *     rank = v + V * (m + M * (n + N * k))
 *
 * A mask has bit r for the CTA of rank r. The CTAs that differ in one mode alone are an arithmetic
 * progression of ranks: a constant pattern, shifted to begin where their coordinate in that mode is 0. */
#ifndef WW_CLUSTER_LAYOUT_CUH
#define WW_CLUSTER_LAYOUT_CUH

#include "types.h"

namespace ww
{

template <int V, int M, int N, int K> struct cluster_layout {
    static_assert(V == 1 || V == 2, "an MMA group is one CTA or a pair");
    static_assert(M >= 1 && N >= 1 && K >= 1 && V * M * N * K <= 16, "a cluster has 1 to 16 CTAs");

    static constexpr uint32_t size = V * M * N * K;

    static WW_HOST_DEVICE constexpr uint32_t v(uint32_t rank)
    {
        return rank % V;
    }

    static WW_HOST_DEVICE constexpr uint32_t m(uint32_t rank)
    {
        return rank / V % M;
    }

    static WW_HOST_DEVICE constexpr uint32_t n(uint32_t rank)
    {
        return rank / (V * M) % N;
    }

    static WW_HOST_DEVICE constexpr uint32_t k(uint32_t rank)
    {
        return rank / (V * M * N);
    }

    /* The CTA of our MMA group that issues for it. */
    static WW_HOST_DEVICE constexpr uint32_t leader(uint32_t rank)
    {
        return rank / V * V;
    }

    /* The CTAs of our MMA group. */
    static WW_HOST_DEVICE constexpr uint16_t pair_mask(uint32_t rank)
    {
        return static_cast<uint16_t>(((1u << V) - 1) << leader(rank));
    }

    /* The CTAs that need the same tile of A: all n. Of B: all m. */
    static WW_HOST_DEVICE constexpr uint16_t tma_mask_a(uint32_t rank)
    {
        return static_cast<uint16_t>(row(N, V * M) << (rank - n(rank) * (V * M)));
    }

    static WW_HOST_DEVICE constexpr uint16_t tma_mask_b(uint32_t rank)
    {
        return static_cast<uint16_t>(row(M, V) << (rank - m(rank) * V));
    }

    /* Whose empty barriers must hear that our group has read its stage: those who multicast a part of A to us
     * or to our peer (m), a part of B (n), of both (mn). */
    static WW_HOST_DEVICE constexpr uint16_t release_mask_m(uint32_t rank)
    {
        return static_cast<uint16_t>(tma_mask_a(rank) | tma_mask_a(peer(rank)));
    }

    static WW_HOST_DEVICE constexpr uint16_t release_mask_n(uint32_t rank)
    {
        return static_cast<uint16_t>(tma_mask_b(rank) | tma_mask_b(peer(rank)));
    }

    static WW_HOST_DEVICE constexpr uint16_t release_mask_mn(uint32_t rank)
    {
        return static_cast<uint16_t>(release_mask_m(rank) | release_mask_n(rank));
    }

  private:
    /* The other CTA of a pair; a group of one is its own peer. */
    static WW_HOST_DEVICE constexpr uint32_t peer(uint32_t rank)
    {
        return V == 2 ? rank ^ 1u : rank;
    }

    /* `count` bits, `step` apart, from bit 0. */
    static WW_HOST_DEVICE constexpr uint32_t row(int count, int step)
    {
        uint32_t bits = 0;
        for (int i = 0; i < count; i++)
            bits |= 1u << (i * step);
        return bits;
    }
};

} // namespace ww

#endif
