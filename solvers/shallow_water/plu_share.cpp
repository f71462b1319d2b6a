#include "solvers/shallow_water/plu_share.h"

#include <algorithm>
#include <chrono>

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

/// An upload of what `write` puts into memory of the queue.
template <class T, class Write>
Operation upload_of(Queue& queue, int rows, int cols, const Write& write) {
    Shape shape{rows, cols, kPrecision<T>};
    auto host = queue.host_memory(shape.bytes());
    write(static_cast<T*>(host.get()));
    return {.kind = OperationKind::upload, .shape = shape, .host = host};
}

using PluClock = std::chrono::steady_clock;

double seconds_of_plu(PluClock::time_point start) {
    return std::chrono::duration<double>(PluClock::now() - start).count();
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
    for (Device* device : {devices()[0], first_gpu()})
        queues.push_back(std::make_unique<Queue>(*device, shared_queue_config(*device)));
    return queues;
}

PluShare::PluShare(std::vector<std::unique_ptr<Queue>> queues)
    : queues_(std::move(queues)), split_(pointers_to(queues_)) {
    for (auto& queue : queues_) {
        shares_.push_back({queue->device().kind(), 0, 0});
        streams_.push_back(queue->device().create_stream());
    }
}

template <class T>
SplitTask PluShare::task_of(PluSystems& systems, const std::string& kind, int first, int count) {
    auto give = [&systems, first, count](Queue& queue) {
        // Pinned memory may run out, so all have theirs before the first value exists.
        auto diagonals = upload_of<T>(queue, systems.n, count,
                                      [&](T* to) { systems.write_diagonals(first, count, to); });
        auto beside = upload_of<T>(queue, systems.n, count,
                                   [&](T* to) { systems.write_beside(first, count, to); });
        auto sides = upload_of<T>(queue, systems.n, count,
                                  [&](T* to) { systems.write_sides(first, count, to); });
        auto d = queue.enqueue(std::move(diagonals))[0], e = queue.enqueue(std::move(beside))[0],
             b = queue.enqueue(std::move(sides))[0];
        auto a = queue.enqueue({.kind = OperationKind::tridiagonals, .inputs = {d, e}})[0];
        auto x = queue.enqueue({.kind = OperationKind::solve_each, .inputs = {a, b}})[0];
        for (ValueId value : {d, e, b, a}) queue.release(value);
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

bool PluShare::is_measured(const std::string& kind) const {
    for (std::size_t p = 0; p < queues_.size(); ++p)
        if (split_.model(p).seconds(kind, 1) < 0) return false;
    return true;
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
void PluShare::solve_shared(PluSystems& systems, const std::string& kind) {
    if (!is_measured(kind)) {
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

void PluShare::solve_alone(PluSystems& systems, std::size_t queue, bool single) {
    auto start = PluClock::now();
    solve_densely(*streams_[queue], systems, single);
    shares_[queue].systems += static_cast<std::uint64_t>(systems.m);
    shares_[queue].seconds += seconds_of_plu(start);
}

std::size_t PluShare::way_to_take(const WayTimes& times) {
    // The first run of each way allocates memory, and that of shared systems measures costs.
    constexpr int kRunsToTime = 3;
    constexpr double kHopeless = 4;  // times the fastest way's time
    std::size_t fastest = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i].n_runs == 0) return i;
        if (times[i].least < times[fastest].least) fastest = i;
    }
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i].n_runs < kRunsToTime && times[i].least < kHopeless * times[fastest].least)
            return i;
    return fastest;
}

void PluShare::solve(PluSystems& systems, bool single) {
    std::string kind = std::to_string(systems.n) + (single ? " floats" : " doubles");
    auto& times = times_[kind + " x " + std::to_string(systems.m)];
    times.resize(queues_.size() + 1);
    auto index = way_to_take(times);
    auto start = PluClock::now();
    if (index > 0)
        solve_alone(systems, index - 1, single);
    else if (single)
        solve_shared<float>(systems, kind);
    else
        solve_shared<double>(systems, kind);
    double taken = seconds_of_plu(start);
    auto& time = times[index];
    time.least = time.n_runs++ == 0 ? taken : std::min(time.least, taken);
}

}  // namespace tl
