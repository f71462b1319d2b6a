#include "solvers/fmm/lattice_exchange.h"

#include "core/device/block.h"
#include "solvers/fmm/kernel_spectra.h"

TL_DEVICE_BEGIN

namespace pairs {

/// Spectra of the children of a level's families: real and imaginary parts of a chunk of each child
/// follow one another.
template <class Real>
struct Spectra {
    Real* data;
    std::uint32_t n_families;

    [[nodiscard]] TL_D Real* chunk(std::uint32_t chunk, std::uint32_t family, int octant) const {
        return data + ((std::size_t(chunk) * n_families + family) * 8 + octant) * (2 * kChunk);
    }
    /// The real part of frequency `at`; the imaginary part is kChunk elements behind it.
    [[nodiscard]] TL_D Real* at(int at, std::uint32_t family, int octant) const {
        return chunk(static_cast<std::uint32_t>(at / kChunk), family, octant) + at % kChunk;
    }
    [[nodiscard]] static std::size_t words(std::uint32_t n_chunks, std::uint32_t n_families) {
        return std::size_t(n_chunks) * n_families * 8 * 2 * kChunk;
    }
};

/// Transforms strengths at one frequency of axis 0, a block for each node of a level.
template <class Real>
struct ForwardTransform {
    static constexpr int kThreads = 128;
    static constexpr int kP = PairSumConfig::kMostOrder, kM = 2 * kP - 1;
    struct Shared {
        Real first[2][kP * kMostRow], second[2][kM * kMostRow];
    };

    LatticeTables<Real> tables;
    View<const SumNode> nodes;
    std::uint32_t first_node, first_family;
    View<const Real> strengths;
    Spectra<Real> spectra;
    int frequency;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        constexpr int kLanes = kWideLanes<Real>;
        std::uint32_t k = first_node + block.index;
        const SumNode& node = nodes[k];
        if (node.n_sources() == 0) return;
        SpectrumSize<Real> size(tables.size);
        const int p = size.p, m = size.m, stride = whole_lanes<Real>(p);
        const Real* from = &strengths[k * lattice_words<Real>(p)];
        const Real *c0 = tables.cosines + frequency * p, *s0 = tables.sines + frequency * p;
        for (int v = static_cast<int>(block.rank) * kLanes; v < p * stride;
             v += static_cast<int>(block.size) * kLanes) {
            Wide<Real> re(Real(0)), im(Real(0));
            for (int a = 0; a < p; ++a) {
                Wide<Real> value = load_wide(from + a * p * stride + v);
                re = re + Wide<Real>(c0[a]) * value;
                im = im - Wide<Real>(s0[a]) * value;
            }
            store_wide(shared.first[0] + v, re);
            store_wide(shared.first[1] + v, im);
        }
        block.sync();
        for (int v = static_cast<int>(block.rank) * kLanes; v < m * stride;
             v += static_cast<int>(block.size) * kLanes) {
            int f = v / stride, c = v % stride;
            Wide<Real> re(Real(0)), im(Real(0));
            for (int b = 0; b < p; ++b) {
                Wide<Real> x = load_wide(shared.first[0] + b * stride + c),
                           y = load_wide(shared.first[1] + b * stride + c),
                           cosine(tables.cosines[f * p + b]), sine(tables.sines[f * p + b]);
                re = re + cosine * x + sine * y;
                im = im + cosine * y - sine * x;
            }
            store_wide(shared.second[0] + v, re);
            store_wide(shared.second[1] + v, im);
        }
        block.sync();
        std::uint32_t family = nodes[node.parent].family - first_family;
        for (int v = static_cast<int>(block.rank) * kLanes; v < m * size.row;
             v += static_cast<int>(block.size) * kLanes) {
            int f = v / size.row, g = v % size.row;
            Wide<Real> re(Real(0)), im(Real(0));
            for (int c = 0; c < p; ++c) {
                Wide<Real> x(shared.second[0][f * stride + c]), y(shared.second[1][f * stride + c]),
                    cosine = load_wide(tables.cosines_wide + c * size.row + g),
                    sine = load_wide(tables.sines_wide + c * size.row + g);
                re = re + cosine * x + sine * y;
                im = im + cosine * y - sine * x;
            }
            Real* to = spectra.at(v, family, node.octant());
            store_wide(to, re);
            store_wide(to + kChunk, im);
        }
    }
};

/// Adds what fields have of one frequency of axis 0 and of its negative, a block for each node.
template <class Real>
struct BackwardTransform {
    static constexpr int kThreads = 128;
    static constexpr int kP = PairSumConfig::kMostOrder, kM = 2 * kP - 1;
    struct Shared {
        Real first[2][kM * kMostRow], second[2][kP * kMostRow];
    };

    LatticeTables<Real> tables;
    View<const SumNode> nodes;
    std::uint32_t first_node, first_family;
    View<Real> fields;
    Spectra<Real> spectra;
    int frequency;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        constexpr int kLanes = kWideLanes<Real>;
        std::uint32_t k = first_node + block.index;
        const SumNode& node = nodes[k];
        if (node.n_targets() == 0) return;
        SpectrumSize<Real> size(tables.size);
        const int p = size.p, m = size.m, stride = whole_lanes<Real>(p);
        std::uint32_t family = nodes[node.parent].family - first_family;
        for (int v = static_cast<int>(block.rank) * kLanes; v < m * stride;
             v += static_cast<int>(block.size) * kLanes) {
            int f = v / stride, c = v % stride;
            Wide<Real> re(Real(0)), im(Real(0));
            for (int g = 0; g < m; ++g) {
                const Real* from = spectra.at(f * size.row + g, family, node.octant());
                Wide<Real> x(from[0]), y(from[kChunk]),
                    cosine = load_wide(tables.cosines_back + g * stride + c),
                    sine = load_wide(tables.sines_back + g * stride + c);
                re = re + cosine * x - sine * y;
                im = im + cosine * y + sine * x;
            }
            store_wide(shared.first[0] + v, re);
            store_wide(shared.first[1] + v, im);
        }
        block.sync();
        for (int v = static_cast<int>(block.rank) * kLanes; v < p * stride;
             v += static_cast<int>(block.size) * kLanes) {
            int b = v / stride, c = v % stride;
            Wide<Real> re(Real(0)), im(Real(0));
            for (int f = 0; f < m; ++f) {
                Wide<Real> x = load_wide(shared.first[0] + f * stride + c),
                           y = load_wide(shared.first[1] + f * stride + c),
                           cosine(tables.cosines[f * p + b]), sine(tables.sines[f * p + b]);
                re = re + cosine * x - sine * y;
                im = im + cosine * y + sine * x;
            }
            store_wide(shared.second[0] + v, re);
            store_wide(shared.second[1] + v, im);
        }
        block.sync();
        Real* to = &fields[k * lattice_words<Real>(p)];
        const Real share = Real(frequency == 0 ? 1 : 2) / static_cast<Real>(m * m * m);
        const Real *c0 = tables.cosines + frequency * p, *s0 = tables.sines + frequency * p;
        for (int v = static_cast<int>(block.rank) * kLanes; v < p * stride;
             v += static_cast<int>(block.size) * kLanes) {
            Wide<Real> x = load_wide(shared.second[0] + v), y = load_wide(shared.second[1] + v);
            for (int a = 0; a < p; ++a) {
                Real* out = to + a * p * stride + v;
                store_wide(out, load_wide(out) + Wide<Real>(share * c0[a]) * x -
                                    Wide<Real>(share * s0[a]) * y);
            }
        }
    }
};

/// Products of spectra, summed over all far sources of a family's children: a block for a chunk of
/// frequencies of a family.
template <class Real>
struct MultiplySpectra {
    static constexpr int kThreads = kChunk;
    using Shared = NoShared;

    View<const SumNode> nodes;
    View<const std::uint32_t> families, neighbours;
    std::uint32_t first_family;
    const Real* kernel;  ///< [chunk][offset], likewise
    Spectra<Real> sources, targets;

    TL_D void operator()(const Block<kThreads>& block, Shared&) const {
        std::uint32_t chunk = block.index / targets.n_families,
                      family = block.index % targets.n_families;
        std::uint32_t parent = families[first_family + family];
        const unsigned wanted = nodes[parent].target_children;
        if (wanted == 0) return;
        constexpr int kLanes = kWideLanes<Real>;
        const Real* of_chunk = kernel + std::size_t(chunk) * kOffsets * 2 * kChunk;
        for (int f = static_cast<int>(block.rank) * kLanes; f < kChunk;
             f += static_cast<int>(block.size) * kLanes) {
            Wide<Real> re[8], im[8];
            for (int t = 0; t < 8; ++t) re[t] = im[t] = Wide<Real>(Real(0));
            for (int d = 0; d < 27; ++d) {
                std::uint32_t neighbour = neighbours[std::size_t(27) * parent + d];
                if (d == 13 || neighbour == kNoNode) continue;
                const SumNode& node = nodes[neighbour];
                if (node.source_children == 0) continue;
                add(node, d, chunk, of_chunk + f, f, wanted, re, im);
            }
            for (int t = 0; t < 8; ++t) {
                if (!(wanted >> t & 1)) continue;
                Real* to = targets.chunk(chunk, family, t) + f;
                store_wide(to, re[t]);
                store_wide(to + kChunk, im[t]);
            }
        }
    }
    /// Adds what the children of a neighbour in direction d send.
    TL_D void add(const SumNode& node, int d, std::uint32_t chunk, const Real* of_chunk, int f,
                  unsigned wanted, Wide<Real> (&re)[8], Wide<Real> (&im)[8]) const {
        const int way[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
        const Real* from = sources.chunk(chunk, node.family - first_family, 0) + f;
        for (int t = 0; t < 8; ++t) {
            if (!(wanted >> t & 1)) continue;
            Wide<Real> x = re[t], y = im[t];
            for (int s = 0; s < 8; ++s) {
                if (!(node.source_children >> s & 1)) continue;
                int offset = 0;
                for (int axis = 2; axis >= 0; --axis)
                    offset = 7 * offset + 3 + (t >> axis & 1) - (s >> axis & 1) - 2 * way[axis];
                const Real *kernel = of_chunk + offset * (2 * kChunk),
                           *source = from + s * (2 * kChunk);
                Wide<Real> a = load_wide(kernel), b = load_wide(kernel + kChunk),
                           u = load_wide(source), v = load_wide(source + kChunk);
                x = x + a * u - b * v;
                y = y + a * v + b * u;
            }
            re[t] = x;
            im[t] = y;
        }
    }
};

}  // namespace pairs

template <class Real>
std::size_t exchange_bytes(const SumTree& tree, int p) {
    pairs::SpectrumSize<Real> size(LatticeSize{p});
    std::uint32_t most = 0;
    for (int level = 1; level + 1 < tree.n_levels(); ++level)
        most = std::max(most, tree.n_families(level));
    auto m = static_cast<std::size_t>(size.m), extent = static_cast<std::size_t>(4 * p);
    std::size_t n_chunks = size.n_chunks();
    std::size_t words = 2 * pairs::Spectra<Real>::words(size.n_chunks(), most) +
                        n_chunks * pairs::kOffsets * 2 * pairs::kChunk +
                        4 * pairs::kBasicOffsets * m * m * m + extent * extent * extent;
    return words * sizeof(Real);
}

template <class Real>
void exchange_lattices(Scratch& scratch, const SumTree& tree, const LatticeTables<Real>& tables,
                       const ScaledKernel& kernel, View<const Real> strengths, View<Real> fields,
                       SolverRun& run) {
    using namespace pairs;
    Stream& stream = scratch.stream();
    stream.device().fill_zero(stream, fields.data, fields.size * sizeof(Real));
    SpectrumSize<Real> size(tables.size);
    const std::uint32_t n_chunks = size.n_chunks();
    auto nodes = tree.nodes.view();
    double done = 0;
    for (int level = 2; level < tree.n_levels(); ++level) {
        Scratch::Scope scope(scratch);
        std::uint32_t n_families = tree.n_families(level - 1),
                      first_family = tree.family_begin[level - 1];
        auto basic =
            scratch.take<ComplexOf<Real>>(std::size_t(kBasicOffsets) * size.m * size.m * size.m);
        transform_kernel(scratch, tables, kernel,
                         1.0 / static_cast<double>(1u << level) / tables.size.steps(), basic);
        auto of_kernel = scratch.take<Real>(std::size_t(n_chunks) * kOffsets * 2 * kChunk);
        auto words = Spectra<Real>::words(n_chunks, n_families);
        Spectra<Real> sources{scratch.take<Real>(words).data, n_families},
            targets{scratch.take<Real>(words).data, n_families};
        std::uint32_t first = tree.level_begin[level], n = tree.level_size(level);
        for (int frequency = 0; frequency <= size.m / 2; ++frequency) {
            KernelSpectra<Real> spectra{{}, basic, size, frequency, of_kernel.data};
            parallel_for(
                stream, "spectra of the kernel",
                static_cast<std::uint32_t>(kOffsets * size.m * size.row),
                TL_LAMBDA(std::uint32_t i) { spectra(i); });
            ForwardTransform<Real> forward{tables,    nodes,   first,    first_family,
                                           strengths, sources, frequency};
            launch_blocks<forward.kThreads>(stream, "spectra of strengths", n, forward);
            MultiplySpectra<Real> multiply{
                nodes,        tree.families.view(), tree.neighbours.view(),
                first_family, of_kernel.data,       sources,
                targets};
            launch_blocks<multiply.kThreads>(stream, "far nodes", n_chunks * n_families, multiply);
            BackwardTransform<Real> backward{tables, nodes,   first,    first_family,
                                             fields, targets, frequency};
            launch_blocks<backward.kThreads>(stream, "fields of spectra", n, backward);
            done += static_cast<double>(n) / (size.m / 2 + 1);
            run.report(done / tree.n_nodes());
        }
    }
}

#define TL_EXCHANGE_INSTANCES(Real)                                                       \
    template std::size_t exchange_bytes<Real>(const SumTree&, int);                       \
    template void exchange_lattices(Scratch&, const SumTree&, const LatticeTables<Real>&, \
                                    const ScaledKernel&, View<const Real>, View<Real>,    \
                                    SolverRun&);
TL_EXCHANGE_INSTANCES(float)
TL_EXCHANGE_INSTANCES(double)
#undef TL_EXCHANGE_INSTANCES

TL_DEVICE_END
