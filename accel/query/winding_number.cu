#include "accel/query/winding_number.h"

#include "accel/query/query_order.h"
#include "accel/query/winding_sum.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Writes the winding numbers of queries. kTogether: as of WindingSum::sum().
template <bool kTogether>
struct WindingWriter {
    WindingSum winding;
    QueryPoints queries;
    WindingOut out;

    TL_D void operator()(std::uint32_t thread) const {
        const std::uint32_t query = queries.query_of(thread);
        const bool has_query = query < queries.count;
        const vec3 p = has_query ? queries(query) : vec3(0);
        const float number = winding.template sum<kTogether>(p, has_query);
        if (!has_query) return;
        if (out.numbers) out.numbers[query] = number;
        if (out.inside) out.inside[query] = number > 0.5f;
        if (out.distances && number > 0.5f) out.distances[query] = -out.distances[query];
    }
};

}  // namespace

void find_winding_numbers(Scratch& scratch, const WindingTree& tree, QueryPoints queries,
                          const WindingOut& out) {
    Scratch::Scope scope(scratch);
    order_queries(scratch, tree.tree, queries);
    auto& stream = scratch.stream();
#if defined(__CUDACC__)
    if (queries.size.x != 0)
        return parallel_for(stream, "winding numbers", queries.n_threads(),
                            WindingWriter<true>{{tree}, queries, out});
#endif
    parallel_for(stream, "winding numbers", queries.n_threads(),
                 WindingWriter<false>{{tree}, queries, out}, 64);
}

TL_DEVICE_END
