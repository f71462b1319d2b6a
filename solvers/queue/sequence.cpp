#include "solvers/queue/sequence.h"

#include <algorithm>
#include <string>

namespace tl {
namespace {

template <class T>
void run_chain_as(Stream& stream, const FusedChain& chain, std::span<const AnyMatrix* const> inputs,
                  std::span<AnyMatrix* const> outputs) {
    std::array<const T*, kFusedArrays> from{};
    std::array<T*, kFusedArrays> to{};
    for (std::size_t i = 0; i < inputs.size(); ++i)
        from[i] = static_cast<const T*>(data_of(*inputs[i]));
    for (std::size_t i = 0; i < outputs.size(); ++i) to[i] = static_cast<T*>(data_of(*outputs[i]));
    TL_DISPATCH(stream.device(),
                run_fused<T>(stream, chain.program, from, to, shape_of(*inputs[0]).elements()));
}

}  // namespace

void run_chain(Stream& stream, const FusedChain& chain, std::span<const AnyMatrix* const> inputs,
               std::span<AnyMatrix* const> outputs) {
    if (shape_of(*inputs[0]).precision == Precision::float32)
        run_chain_as<float>(stream, chain, inputs, outputs);
    else
        run_chain_as<double>(stream, chain, inputs, outputs);
}

/// The graph, and the memory that it works in, which replays fill and read.
struct Sequence::Recorded {
    std::unique_ptr<Stream> stream;
    std::vector<AnyMatrix> values;  ///< [i]: value i + 1; none for those that only chains use
    std::unique_ptr<Graph> graph;
    std::unique_ptr<Event> done;  ///< after the newest replay
};

Sequence::Sequence(std::vector<Shape> inputs)
    : n_inputs_(inputs.size()), shapes_(std::move(inputs)) {}
Sequence::~Sequence() = default;

std::vector<ValueId> Sequence::add(Operation operation) {
    if (finished_) throw UserError("the sequence has ended: nothing can be added");
    std::vector<Shape> inputs;
    for (ValueId id : operation.inputs) {
        if (id == 0 || id > shapes_.size())
            throw UserError("the sequence has no value " + std::to_string(id));
        inputs.push_back(shapes_[id - 1]);
    }
    auto& row = row_of(operation.kind);
    if (row.lane != LaneKind::compute || operation.kind == OperationKind::sequence)
        throw UserError(std::string("a sequence cannot have the operation ") + row.id);
    auto shapes = result_shapes(operation, inputs);
    work_ += row.work(operation, inputs);
    std::vector<ValueId> results;
    for (auto& shape : shapes) {
        shapes_.push_back(shape);
        results.push_back(shapes_.size());
    }
    steps_.push_back({std::move(operation), std::nullopt, results, {}});
    return results;
}

void Sequence::finish(const std::vector<ValueId>& results) {
    for (ValueId id : results)
        if (id <= n_inputs_ || id > shapes_.size())
            throw UserError("value " + std::to_string(id) + " is no result of the sequence");
    results_ = results;
    finished_ = true;
    fuse_steps();
    find_unused();
}

std::vector<Shape> Sequence::shapes(std::span<const Shape> inputs) const {
    if (!finished_) throw UserError("the sequence has not ended yet");
    if (!std::ranges::equal(inputs, std::span(shapes_).first(n_inputs_)))
        throw UserError("the matrices are not of the sizes that the sequence was recorded with");
    std::vector<Shape> shapes;
    for (ValueId id : results_) shapes.push_back(shapes_[id - 1]);
    return shapes;
}

bool Sequence::is_recordable() const {
    return std::ranges::all_of(
        steps_, [](const Step& step) { return step.chain || runs_into(step.operation.kind); });
}

const std::vector<ValueId>& Sequence::inputs_of(const Step& step) const {
    return step.chain ? step.chain->inputs : step.operation.inputs;
}

/// The nodes of steps [first, end), all element-wise. Results that other steps need are stored.
std::vector<FusedNode> Sequence::nodes_of(std::size_t first, std::size_t end) const {
    std::vector<FusedNode> nodes;
    for (std::size_t s = first; s < end; ++s) {
        auto& step = steps_[s];
        FusedNode node{step.operation.element, {}, step.results[0], false};
        std::ranges::copy(step.operation.inputs, node.inputs.begin());
        auto needs = [&](const Step& other) {
            return std::ranges::find(other.operation.inputs, node.output) !=
                   other.operation.inputs.end();
        };
        node.stored = std::ranges::find(results_, node.output) != results_.end() ||
                      std::any_of(steps_.begin() + static_cast<long>(end), steps_.end(), needs);
        nodes.push_back(node);
    }
    return nodes;
}

/// Fuses runs of element-wise steps of one shape, as long as they fit into one program.
void Sequence::fuse_steps() {
    std::vector<Step> fused;
    auto is_element = [&](std::size_t s, const Shape& shape) {
        return s < steps_.size() && steps_[s].operation.kind == OperationKind::element &&
               shapes_[steps_[s].results[0] - 1] == shape;
    };
    for (std::size_t first = 0; first < steps_.size();) {
        if (steps_[first].operation.kind != OperationKind::element) {
            fused.push_back(steps_[first++]);
            continue;
        }
        auto shape = shapes_[steps_[first].results[0] - 1];
        FusedChain chain, longer;
        std::size_t end = first;
        while (is_element(end, shape) && fuse_nodes(nodes_of(first, end + 1), longer)) {
            chain = longer;
            ++end;
        }
        auto outputs = chain.outputs;
        // A chain without needed outputs is dropped.
        if (!outputs.empty()) fused.push_back({{}, std::move(chain), std::move(outputs), {}});
        first = end;
    }
    steps_ = std::move(fused);
}

void Sequence::find_unused() {
    std::vector<bool> is_needed(shapes_.size() + 1, false);
    for (ValueId id : results_) is_needed[id] = true;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        auto see = [&](ValueId id) {
            if (!is_needed[id]) step->unused.push_back(id);
            is_needed[id] = true;
        };
        for (ValueId id : inputs_of(*step)) see(id);
        for (ValueId id : step->results) see(id);
    }
}

/// Runs a step. `values`: the matrix of each value of the sequence; `own`: memory of the results of
/// the sequence's own steps.
void Sequence::run_step(Stream& stream, const Step& step, std::span<const AnyMatrix* const> values,
                        std::span<AnyMatrix> own, SolverRun& run) const {
    std::vector<const AnyMatrix*> inputs;
    for (ValueId id : inputs_of(step)) inputs.push_back(values[id - 1]);
    bool has_memory = step.chain || runs_into(step.operation.kind);
    if (!has_memory) {
        auto results = run_operation(stream, step.operation, inputs, run);
        for (std::size_t r = 0; r < results.size(); ++r)
            own[step.results[r] - 1] = std::move(results[r]);
        return;
    }
    std::vector<AnyMatrix*> outputs;
    for (ValueId id : step.results) {
        auto& to = own[id - 1];
        if (std::holds_alternative<std::monostate>(to)) to = make_any(stream, shapes_[id - 1]);
        outputs.push_back(&to);
    }
    if (step.chain)
        run_chain(stream, *step.chain, inputs, outputs);
    else
        run_into(stream, step.operation, inputs, *outputs[0]);
}

std::vector<AnyMatrix> Sequence::run(Stream& stream, std::span<const AnyMatrix* const> inputs,
                                     SolverRun& run) {
    // The first run triggers lazy loading in the driver; later ones justify a graph.
    if (n_runs_++ > 0 && stream.device().kind() == DeviceKind::cuda && is_recordable())
        return run_recorded(stream, inputs);
    return run_directly(stream, inputs, run);
}

std::vector<AnyMatrix> Sequence::run_directly(Stream& stream,
                                              std::span<const AnyMatrix* const> inputs,
                                              SolverRun& run) const {
    std::vector<AnyMatrix> own(shapes_.size());
    std::vector<const AnyMatrix*> values(inputs.begin(), inputs.end());
    for (std::size_t i = values.size(); i < own.size(); ++i) values.push_back(&own[i]);
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        run_step(stream, steps_[s], values, own, run);
        for (ValueId id : steps_[s].unused) own[id - 1] = {};
        run.report(static_cast<double>(s + 1) / static_cast<double>(steps_.size()));
    }
    std::vector<AnyMatrix> results;
    for (std::size_t r = 0; r < results_.size(); ++r) {
        auto& value = own[results_[r] - 1];
        auto rest = std::span(results_).subspan(r + 1);
        if (std::ranges::find(rest, results_[r]) == rest.end()) {
            results.push_back(std::move(value));
        } else {
            auto& copy = results.emplace_back(make_any(stream, shape_of(value)));
            stream.device().copy(stream, data_of(copy), data_of(value), shape_of(value).bytes());
        }
    }
    return results;
}

void Sequence::record(Stream& stream) {
    auto& device = stream.device();
    auto recorded = std::make_unique<Recorded>();
    // No other thread gives work to this stream while it is recorded.
    recorded->stream = device.create_stream();
    recorded->values.resize(shapes_.size());
    auto give_memory = [&](ValueId id) {
        recorded->values[id - 1] = make_any(*recorded->stream, shapes_[id - 1]);
    };
    for (ValueId id = 1; id <= n_inputs_; ++id) give_memory(id);
    for (auto& step : steps_)
        for (ValueId id : step.results) give_memory(id);
    recorded->done = device.create_event();
    recorded->done->record(*recorded->stream);
    recorded->done->hold(stream);
    std::vector<const AnyMatrix*> values;
    for (auto& value : recorded->values) values.push_back(&value);
    SolverRun run;
    if (!device.begin_graph(*recorded->stream)) throw UserError("the device has no graphs");
    try {
        for (auto& step : steps_) run_step(*recorded->stream, step, values, recorded->values, run);
    } catch (...) {
        (void)device.end_graph(*recorded->stream);
        throw;
    }
    recorded->graph = device.end_graph(*recorded->stream);
    recorded_ = std::move(recorded);
}

std::vector<AnyMatrix> Sequence::run_recorded(Stream& stream,
                                              std::span<const AnyMatrix* const> inputs) {
    if (!recorded_) record(stream);
    auto& device = stream.device();
    recorded_->done->hold(stream);
    auto copy = [&](AnyMatrix& to, const AnyMatrix& from) {
        device.copy(stream, data_of(to), data_of(from), shape_of(from).bytes());
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) copy(recorded_->values[i], *inputs[i]);
    recorded_->graph->launch(stream);
    std::vector<AnyMatrix> results;
    for (ValueId id : results_) {
        auto& value = recorded_->values[id - 1];
        copy(results.emplace_back(make_any(stream, shape_of(value))), value);
    }
    recorded_->done->record(stream);
    ++n_graph_runs_;
    return results;
}

}  // namespace tl
