#include "solvers/shallow_water/plu_share.h"

#include <algorithm>

#include "core/device/registry.h"

namespace tl {
namespace {

template <class T>
constexpr Precision kPrecision = sizeof(T) == sizeof(float) ? Precision::float32
                                                            : Precision::float64;

std::vector<Queue*> pointers_to(const std::vector<std::unique_ptr<Queue>>& queues) {
    std::vector<Queue*> pointers;
    for (auto& queue : queues) pointers.push_back(queue.get());
    return pointers;
}

/// Uploads what `write` puts into memory of the queue.
template <class T, class Write>
ValueId upload(Queue& queue, int rows, int cols, const Write& write) {
    Shape shape{rows, cols, kPrecision<T>};
    auto host = queue.host_memory(shape.bytes());
    write(static_cast<T*>(host.get()));
    return queue.enqueue({.kind = OperationKind::upload, .shape = shape, .host = host})[0];
}

}  // namespace

void require_two_devices() {
    if (devices().size() < 2)
        throw UserError(
            "water: share needs the CPU and a GPU, between which mode plu divides its "
            "systems; " +
            cuda_absence() + "; leave --water-share out");
}

std::vector<std::unique_ptr<Queue>> water_queues() {
    require_two_devices();
    std::vector<std::unique_ptr<Queue>> queues;
    for (Device* device : devices())
        queues.push_back(std::make_unique<Queue>(*device, shared_queue_config(*device)));
    return queues;
}

PluShare::PluShare(std::vector<std::unique_ptr<Queue>> queues)
    : queues_(std::move(queues)), split_(pointers_to(queues_)) {
    for (auto& queue : queues_) shares_.push_back({queue->device().kind(), 0, 0});
}

template <class T>
SplitTask PluShare::task_of(PluSystems& systems, const std::string& kind, int first, int count) {
    auto give = [&systems, first, count](Queue& queue) {
        auto a = upload<T>(queue, systems.n, systems.n * count,
                           [&](T* to) { systems.write_matrices(first, count, to); });
        auto b = upload<T>(queue, systems.n, count,
                           [&](T* to) { systems.write_sides(first, count, to); });
        auto x = queue.enqueue({.kind = OperationKind::solve_each, .inputs = {a, b}})[0];
        queue.release(a);
        queue.release(b);
        queue.read(x);
        return std::vector<ValueId>{x};
    };
    auto take = [this, &systems, first, count](Queue& queue, const std::vector<ValueId>& values) {
        auto x = queue.fetch(values[0]);
        queue.release(values[0]);
        if (x.error) throw UserError(x.error.message);
        systems.set_levels(first, count, static_cast<const T*>(x.data.get()));
        for (std::size_t p = 0; p < queues_.size(); ++p)
            if (queues_[p].get() == &queue) shares_[p].systems += static_cast<std::uint64_t>(count);
    };
    return {kind, static_cast<double>(count), give, take};
}

std::vector<ItemCost> PluShare::costs_of(const std::string& kind) const {
    std::vector<ItemCost> costs;
    for (std::size_t p = 0; p < queues_.size(); ++p) {
        double fixed = split_.model(p).seconds(kind, 0);
        costs.push_back({fixed, split_.model(p).seconds(kind, 1) - fixed});
    }
    return costs;
}

template <class T>
void PluShare::solve_as(PluSystems& systems) {
    std::string kind = std::to_string(systems.n) + (sizeof(T) == 4 ? " floats" : " doubles");
    if (split_.model(0).seconds(kind, 1) < 0) {
        // Two sizes separate the fixed cost from that of a line.
        int few = std::max(systems.m / 16, 1), many = std::max(systems.m / 3, 1);
        split_.measure({task_of<T>(systems, kind, 0, few), task_of<T>(systems, kind, 0, many)});
    }
    std::vector<SplitTask> tasks;
    for (auto& batch : batches_of(systems.m, costs_of(kind))) {
        tasks.push_back(task_of<T>(systems, kind, batch.first, batch.count));
        tasks.back().planned = batch.queue;
    }
    auto done = split_.run(tasks);
    for (std::size_t p = 0; p < queues_.size(); ++p) shares_[p].seconds += done[p].seconds;
}

void PluShare::solve(PluSystems& systems, bool single) {
    if (single)
        solve_as<float>(systems);
    else
        solve_as<double>(systems);
}

}  // namespace tl
