// `treelight bench queue`: cost of enqueueing an operation, gains by fusing and recording, overlap
// of copies with work, and the split of equal tasks between CPU and GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/queue/queue_row.h"
#include "app/solve/queue/queue_work.h"
#include "app/solve/solver_bench.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "solvers/queue/sequence.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchQueueOptions : SolverBench {
    QueueWork work;
    std::vector<int> sizes{512, 1024};
    int chain = 8;
    int elements = 4 << 20;
};

/// Median seconds of several runs.
double median_seconds(const BenchQueueOptions& o, const ReadProgress& progress,
                      const std::function<void()>& work) {
    return median(repeated_seconds(o, progress, [&] {
        auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }));
}

ValueId zero_matrix(Queue& queue, int rows, int cols) {
    std::vector<double> numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    return queue.upload({rows, cols, Precision::float64}, numbers.data(),
                        static_cast<std::size_t>(rows));
}

/// Returns the value after `n` operations, each on the result of the one before.
ValueId chained(Queue& queue, ValueId first, int n) {
    QueueBatch batch(queue);
    queue.retain(first);
    ValueId last = first;
    for (int i = 0; i < n; ++i) {
        ElementOp op{i % 2 == 0 ? ElementCode::add : ElementCode::multiply,
                     ElementForm::scalar_right, 0.5};
        auto next =
            queue.enqueue({.kind = OperationKind::element, .inputs = {last}, .element = op})[0];
        queue.release(last);
        last = next;
    }
    return last;
}

void wait_and_release(Queue& queue, ValueId value) {
    if (auto error = queue.wait(value)) throw UserError(error.message);
    queue.release(value);
}

/// Measures the cost of a call, and the latency of the smallest operation from call to result.
Json measure_calls(const BenchQueueOptions& o, Device& device, const ReadProgress& progress) {
    constexpr int kCalls = 1000;
    Queue queue(device, {.fuse = false});
    auto first = zero_matrix(queue, 1, 1);
    double call = median_seconds(o, progress, [&] {
        for (int i = 0; i < kCalls; ++i)
            queue.release(queue.enqueue({.kind = OperationKind::transpose, .inputs = {first}})[0]);
    });
    queue.wait_for_all();
    double there_and_back = median_seconds(o, progress, [&] {
        auto result = queue.enqueue({.kind = OperationKind::transpose, .inputs = {first}})[0];
        (void)queue.fetch(result);
        queue.release(result);
    });
    return {{"call_us", call / kCalls * 1e6}, {"there_and_back_us", there_and_back * 1e6}};
}

/// Measures a chain of element-wise operations, fused and not.
Json measure_chain(const BenchQueueOptions& o, Device& device, const ReadProgress& progress) {
    double seconds[2];
    for (bool fuse : {false, true}) {
        Queue queue(device, {.fuse = fuse});
        auto first = zero_matrix(queue, o.elements, 1);
        seconds[fuse] = median_seconds(
            o, progress, [&] { wait_and_release(queue, chained(queue, first, o.chain)); });
    }
    return {{"operations", o.chain},
            {"elements", o.elements},
            {"apart_ms", seconds[false] * 1e3},
            {"fused_ms", seconds[true] * 1e3},
            {"gain", seconds[false] / std::max(seconds[true], 1e-9)}};
}

/// Measures a sequence of small products and sums, enqueued one by one and replayed.
Json measure_sequence(const BenchQueueOptions& o, Device& device, const ReadProgress& progress) {
    constexpr int kRows = 64, kSteps = 16, kPasses = 20;
    constexpr Shape kShape{kRows, kRows, Precision::float64};
    auto step = [](auto&& give, ValueId value, ValueId first) {
        auto product = give(Operation{.kind = OperationKind::matmul, .inputs = {value, first}});
        return give(Operation{.kind = OperationKind::element,
                              .inputs = {product, first},
                              .element = {ElementCode::maximum, ElementForm::both, 0}});
    };
    auto sequence = std::make_shared<Sequence>(std::vector<Shape>{kShape});
    ValueId last = 1;
    for (int i = 0; i < kSteps; ++i)
        last = step([&](Operation operation) { return sequence->add(operation)[0]; }, last, 1);
    sequence->finish({last});
    Queue queue(device);
    auto first = zero_matrix(queue, kRows, kRows);
    double one_by_one = median_seconds(o, progress, [&] {
        for (int pass = 0; pass < kPasses; ++pass) {
            std::vector<ValueId> made;
            auto give = [&](Operation operation) {
                return made.emplace_back(queue.enqueue(std::move(operation))[0]);
            };
            ValueId value = first;
            for (int i = 0; i < kSteps; ++i) value = step(give, value, first);
            for (ValueId each : made)
                if (each != value) queue.release(each);
            wait_and_release(queue, value);
        }
    });
    double replayed = median_seconds(o, progress, [&] {
        for (int pass = 0; pass < kPasses; ++pass)
            wait_and_release(queue, queue.enqueue({.kind = OperationKind::sequence,
                                                   .inputs = {first},
                                                   .sequence = sequence})[0]);
    });
    return {{"operations", 2 * kSteps},
            {"one_by_one_us", one_by_one / kPasses * 1e6},
            {"replayed_us", replayed / kPasses * 1e6},
            {"is_graph", sequence->n_graph_runs() > 0}};
}

/// Measures equal tasks, each after the one before, and overlapping.
Json measure_tasks(const BenchQueueOptions& o, Device& device, const QueueWork& work,
                   const ReadProgress& progress) {
    Queue queue(device);
    QueueTasks tasks(work, queue);
    auto nothing = [](int) {};
    double apart = median_seconds(o, progress, [&] { tasks.run(queue, false, nothing); });
    LaneOverlap overlap;
    double together = median_seconds(o, progress, [&] {
        double begin = queue.now();
        tasks.run(queue, true, nothing);
        auto spans = queue.timeline();
        std::erase_if(spans, [&](auto& span) { return span.begin < begin; });
        overlap = measure_overlap(spans);
    });
    return {{"apart_s", apart},
            {"overlapping_s", together},
            {"compute_ms", overlap.busy[static_cast<int>(LaneKind::compute)]},
            {"upload_ms", overlap.busy[static_cast<int>(LaneKind::upload)]},
            {"read_ms", overlap.busy[static_cast<int>(LaneKind::read)]},
            {"overlap_percent", overlap.percent()}};
}

/// Measures the tasks on each device alone, and shared.
Json measure_split(const BenchQueueOptions& o, const QueueWork& work,
                   const ReadProgress& progress) {
    std::vector<std::unique_ptr<Queue>> queues;
    std::vector<Queue*> all;
    for (Device* device : devices())
        all.push_back(queues.emplace_back(std::make_unique<Queue>(*device)).get());
    QueueTasks tasks(work, *all.back());
    Json alone = Json::object();
    double best = 1e300;
    for (Queue* queue : all) {
        double seconds = median_seconds(o, progress, [&] { tasks.run(*queue, true, [](int) {}); });
        alone[queue->device().id()] = seconds;
        best = std::min(best, seconds);
    }
    Json report{{"alone_s", alone}};
    if (all.size() < 2) return report;
    std::vector<std::unique_ptr<Queue>> sharing;
    std::vector<Queue*> shared;
    for (Device* device : devices())
        shared.push_back(
            sharing.emplace_back(std::make_unique<Queue>(*device, shared_queue_config(*device)))
                .get());
    // The first run, in which the split learns the speeds, is the warm-up.
    WorkSplit split(shared);
    std::vector<SplitShare> shares;
    double together = median_seconds(o, progress, [&] { tasks.run(split, shares); });
    Json parts = Json::object();
    for (std::size_t p = 0; p < all.size(); ++p)
        parts[all[p]->device().id()] = {{"tasks", shares[p].n_tasks},
                                        {"tasks_again", shares[p].n_again},
                                        {"seconds", shares[p].seconds},
                                        {"error_percent", 100 * shares[p].error}};
    report.update({{"together_s", together}, {"gain", best / together}, {"shares", parts}});
    return report;
}

constexpr int kNameWidth = 38;

std::string name_of_tasks(const QueueWork& work) {
    return formatted("%d %s of %dx%d", work.count, work.operation.c_str(), work.size, work.size);
}

void print_calls(const Json& calls) {
    TextTable table("operation", kNameWidth);
    table.row("a call").number("median us", calls["call_us"]).print();
    table.row("the smallest, there and back")
        .number("median us", calls["there_and_back_us"])
        .print();
}

/// Prints the row of a way to do operations faster, beside one after the other.
void print_gain(TextTable& table, const std::string& name, double apart_ms, double faster_ms,
                const std::string& how) {
    table.row(name)
        .number("one by one ms", apart_ms)
        .number("faster ms", faster_ms)
        .number("gain", apart_ms / std::max(faster_ms, 1e-6))
        .note("by", how)
        .print();
}

void print_overlap(const QueueWork& work, const Json& tasks) {
    TextTable table("tasks", kNameWidth);
    table.row(name_of_tasks(work))
        .number("one by one ms", tasks["apart_s"].get<double>() * 1e3)
        .number("overlapping ms", tasks["overlapping_s"].get<double>() * 1e3)
        .number("copies hidden %", tasks["overlap_percent"])
        .number("computing ms", tasks["compute_ms"])
        .number("up ms", tasks["upload_ms"])
        .number("back ms", tasks["read_ms"])
        .print();
}

void print_split(const QueueWork& work, const Json& split) {
    TextTable table("tasks", kNameWidth);
    const bool is_shared = split.contains("together_s");
    for (auto& [device, seconds] : split["alone_s"].items()) {
        table.row(name_of_tasks(work) + " on " + device)
            .number("alone ms", seconds.get<double>() * 1e3);
        if (is_shared) {
            auto& share = split["shares"][device];
            table.cell("shared tasks", std::to_string(share["tasks"].get<int>()))
                .cell("done again", std::to_string(share["tasks_again"].get<int>()))
                .number("shared ms", share["seconds"].get<double>() * 1e3)
                .number("error of forecast %", share["error_percent"]);
        }
        table.print();
    }
    if (!is_shared) return;
    TextTable both("tasks", kNameWidth);
    both.row(name_of_tasks(work) + " shared")
        .number("together ms", split["together_s"].get<double>() * 1e3)
        .number("gain", split["gain"])
        .print();
}

void bench_queue(BenchQueueOptions o) {
    Device& device = find_device(o.device);
    complete_bench(o, device);
    begin_report(o.json);
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    BenchProgress progress(3 + 2 * o.sizes.size());
    auto measured = [&](const std::string& part, auto measure) {
        progress.begin(part);
        Json result = measure();
        progress.end();
        return result;
    };
    Json calls = measured("calls", [&] { return measure_calls(o, device, progress.phases()); });
    print_calls(calls);
    Json chain = measured("chain", [&] { return measure_chain(o, device, progress.phases()); });
    TextTable gains("operations", kNameWidth);
    print_gain(gains, formatted("%d element-wise on %d doubles", o.chain, o.elements),
               chain["apart_ms"], chain["fused_ms"], "one kernel for all");
    Json sequence =
        measured("sequence", [&] { return measure_sequence(o, device, progress.phases()); });
    print_gain(gains, formatted("%d on 64x64", sequence["operations"].get<int>()),
               sequence["one_by_one_us"].get<double>() / 1e3,
               sequence["replayed_us"].get<double>() / 1e3,
               sequence["is_graph"].get<bool>() ? "replaying a graph" : "replaying a sequence");
    Json sizes = Json::array();
    for (int size : o.sizes) {
        QueueWork work = o.work;
        work.size = size;
        work.single = o.precision == "float";
        work.seed = o.seed;
        Json tasks =
            measured("tasks", [&] { return measure_tasks(o, device, work, progress.phases()); });
        print_overlap(work, tasks);
        Json split = measured("split", [&] { return measure_split(o, work, progress.phases()); });
        print_split(work, split);
        sizes.push_back({{"rows", size}, {"pipeline", tasks}, {"split", split}});
    }
    finish_bench(
        o, "queue", device.name(), {{"operation", o.work.operation}, {"count", o.work.count}},
        {{"calls", calls}, {"chain", chain}, {"sequence", sequence}, {"sizes", sizes}}, "parts", 0);
}

}  // namespace

void add_bench_queue_command(CLI::App& bench) {
    auto o = std::make_shared<BenchQueueOptions>();
    auto* command = bench.add_subcommand(
        "queue", "What the queue of operations costs, hides, and shares between CPU and GPU");
    add_list(*command, "--sizes", o->sizes, "N,...", "rows and columns of the tasks' matrices")
        ->check(between(1, 1 << 15));
    add_value(*command, "--operation", o->work.operation, "ID",
              "what a task does with its matrix: " + joined(work_operations()));
    add_value(*command, "--count", o->work.count, "N", "tasks")->check(between(1, 10000));
    add_value(*command, "--chain", o->chain, "N", "element-wise operations of the chain")
        ->check(between(1, 1000));
    add_value(*command, "--elements", o->elements, "N", "elements that the chain goes over")
        ->check(between(1, 1 << 28));
    add_bench_flags(*command, *o, "size");
    command->callback([o] { bench_queue(*o); });
}

}  // namespace tl
