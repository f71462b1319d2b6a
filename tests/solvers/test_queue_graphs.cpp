// Random graphs of operations against serial execution, with faults: memory runs out, operations
// are cancelled or time out. A graph depends on its seed alone, but the operation that a fault
// affects depends on timing. Results are compared where there are any, and every error must have a
// cause. TREELIGHT_QUEUE_GRAPHS=100000 sets the number of graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "solvers/queue/queue.h"
#include "solvers/queue/sequence.h"
#include "tests/solvers/faulty_device.h"

namespace tl::queue_graphs_tests {

using Bytes = std::vector<std::byte>;

/// Result of an operation in serial execution.
struct SerialValue {
    AnyMatrix matrix;
    Shape shape;
    bool failed = false;
};

/// A value of the graph.
struct GraphValue {
    ValueId id = 0;
    std::size_t operation = 0;  ///< index of the operation that produces it
    std::size_t serial = 0;     ///< index among the serial values
    bool is_held = true;
};

struct GraphOperation {
    std::vector<std::size_t> inputs;  ///< indices of values
};

/// Applies an operation to two elements, by its textbook definition.
template <class T>
T computed(ElementCode code, T x, T y) {
    switch (code) {
        case ElementCode::add:
            return x + y;
        case ElementCode::subtract:
            return x - y;
        case ElementCode::multiply:
            return x * y;
        case ElementCode::divide:
            return x / y;
        case ElementCode::minimum:
            return y < x ? y : x;
        case ElementCode::maximum:
            return x < y ? y : x;
        case ElementCode::negate:
            return -x;
        case ElementCode::absolute:
            return std::abs(x);
        case ElementCode::square_root:
            return std::sqrt(x);
        case ElementCode::exponential:
            return std::exp(x);
        case ElementCode::power:
            return std::pow(x, y);
        case ElementCode::equal:
            return x == y ? T(1) : T(0);
        case ElementCode::not_equal:
            return x == y ? T(0) : T(1);
        case ElementCode::less:
            return y > x ? T(1) : T(0);
        case ElementCode::less_equal:
            return x < y || x == y ? T(1) : T(0);
        case ElementCode::logical_and:
            return x == 0 || y == 0 ? T(0) : T(1);
        case ElementCode::logical_or:
            return x == 0 && y == 0 ? T(0) : T(1);
    }
    return x;
}

/// Runs operations one after the other, as soon as they are given.
class SerialExecution {
  public:
    explicit SerialExecution(Device& device) : device_(device), stream_(device.create_stream()) {}

    std::vector<SerialValue> run(const Operation& operation,
                                 const std::vector<const SerialValue*>& inputs) {
        std::vector<SerialValue> results(n_results(operation));
        std::vector<Shape> shapes;
        std::vector<const AnyMatrix*> matrices;
        bool failed = false;
        for (auto* input : inputs) {
            shapes.push_back(input->shape);
            matrices.push_back(&input->matrix);
            failed |= input->failed;
        }
        try {
            if (failed) throw UserError("an operand has failed");
            auto promised = result_shapes(operation, shapes);
            auto made = made_by(operation, matrices, shapes);
            for (std::size_t r = 0; r < results.size(); ++r)
                results[r] = {std::move(made[r]), promised[r], false};
        } catch (const UserError&) {
            for (auto& result : results) result.failed = true;
        }
        return results;
    }

    Bytes downloaded(const SerialValue& value) {
        Bytes bytes(value.shape.bytes());
        if (!bytes.empty())
            device_.download(*stream_, bytes.data(), data_of(value.matrix), bytes.size());
        return bytes;
    }

  private:
    std::vector<AnyMatrix> made_by(const Operation& operation,
                                   const std::vector<const AnyMatrix*>& inputs,
                                   const std::vector<Shape>& shapes) {
        std::vector<AnyMatrix> made;
        if (operation.kind == OperationKind::upload) {
            made.push_back(make_any(*stream_, operation.shape));
            device_.upload(*stream_, data_of(made[0]), operation.host.get(),
                           operation.shape.bytes());
            return made;
        }
        // A GPU's own exponential differs in the last bit.
        if (operation.kind == OperationKind::element && device_.kind() == DeviceKind::cpu) {
            made.push_back(make_any(*stream_, shapes[0]));
            if (shapes[0].precision == Precision::float32)
                by_elements<float>(operation.element, inputs, made[0], shapes[0].elements());
            else
                by_elements<double>(operation.element, inputs, made[0], shapes[0].elements());
            return made;
        }
        SolverRun run;
        return run_operation(*stream_, operation, inputs, run);
    }

    template <class T>
    static void by_elements(const ElementOp& op, const std::vector<const AnyMatrix*>& inputs,
                            AnyMatrix& to, std::size_t size) {
        auto* first = static_cast<const T*>(data_of(*inputs[0]));
        auto* second = static_cast<const T*>(data_of(*inputs.back()));
        auto scalar = static_cast<T>(op.scalar);
        for (std::size_t i = 0; i < size; ++i) {
            T x = op.form == ElementForm::scalar_left ? scalar : first[i];
            T y = op.form == ElementForm::scalar_left    ? first[i]
                  : op.form == ElementForm::scalar_right ? scalar
                                                         : second[i];
            static_cast<T*>(data_of(to))[i] = computed(op.code, x, y);
        }
    }

    Device& device_;
    std::unique_ptr<Stream> stream_;
};

bool is_same(const Shape& shape, const void* a, const void* b) {
    if (shape.bytes() == 0 || std::memcmp(a, b, shape.bytes()) == 0) return true;
    auto same = [&](auto* x, auto* y) {
        for (std::size_t i = 0; i < shape.elements(); ++i)
            if (!(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])))) return false;
        return true;
    };
    if (shape.precision == Precision::float32)
        return same(static_cast<const float*>(a), static_cast<const float*>(b));
    return same(static_cast<const double*>(a), static_cast<const double*>(b));
}

/// Faults of a graph besides failures of its own operations.
struct GraphFaults {
    bool cancels = false, timeouts = false, memory = false;
};

/// One random graph: creates it, submits it to the queue, and compares the results.
class RandomGraph {
  public:
    RandomGraph(std::uint64_t seed, test::FaultyDevice& device, SerialExecution& serial,
                Queue& queue, GraphFaults faults)
        : random_(seed), device_(device), serial_(serial), queue_(queue), faults_(faults) {}

    /// `checks`: whether the results are waited for and compared.
    void run(bool checks) {
        if (faults_.memory) device_.fail_after(below(30));
        paused_ = chance(30);
        is_single_ = chance(25);
        if (paused_) queue_.pause();
        for (int n = 3 + below(18); n > 0; --n) step();
        if (paused_) queue_.resume();
        if (checks)
            for (auto& value : values_)
                if (value.is_held) compare(value);
        device_.fail_after(-1);
        for (auto& value : values_)
            if (value.is_held) queue_.release(value.id);
    }

  private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    /// One of the newest values, so that chains become long.
    std::size_t any_value() {
        int n = static_cast<int>(values_.size());
        return static_cast<std::size_t>(chance(60) ? n - 1 - below(std::min(n, 4)) : below(n));
    }

    void step() {
        if (values_.empty() || chance(12)) return upload();
        int choice = below(100);
        if (choice < 8) return release();
        if (choice < 14) return queue_.read(values_[any_value()].id);
        if (choice < 16) {
            auto value = any_value();
            if (!paused_) (void)queue_.wait(values_[value].id);
            return;
        }
        if (choice < 20 && faults_.cancels) return queue_.cancel(values_[any_value()].id);
        if (choice < 24) return sequence();
        give(chance(60) ? element() : other());
    }

    void upload() {
        // Mostly of one kind, so that operands fit.
        bool is_single = is_single_ != chance(2);
        Shape shape{chance(92) ? 3 : below(5), chance(92) ? 3 : below(5),
                    is_single ? Precision::float32 : Precision::float64};
        auto host = queue_.host_memory(shape.bytes());
        for (std::size_t i = 0; i < shape.elements(); ++i) {
            // Small whole numbers make singular matrices and equal pivots.
            double number = chance(50) ? below(5) - 2 : below(1000) * 0.37 - 180;
            if (shape.precision == Precision::float32)
                static_cast<float*>(host.get())[i] = static_cast<float>(number);
            else
                static_cast<double*>(host.get())[i] = number;
        }
        give({.kind = OperationKind::upload, .shape = shape, .host = host});
    }

    void release() {
        auto& value = values_[any_value()];
        if (value.is_held) queue_.release(value.id);
        value.is_held = false;
    }

    Operation element() {
        Operation operation{.kind = OperationKind::element};
        auto& op = operation.element;
        op.code = static_cast<ElementCode>(below(kElementCodes));
        op.form = takes_one(op.code) ? ElementForm::one : static_cast<ElementForm>(below(3));
        op.scalar = below(7) - 3;
        operation.inputs.resize(op.form == ElementForm::both ? 2 : 1);
        return operation;
    }

    Operation other() {
        // Products and copies more often than solvers.
        static constexpr OperationKind kKinds[] = {OperationKind::matmul,
                                                   OperationKind::matmul,
                                                   OperationKind::matmul,
                                                   OperationKind::transpose,
                                                   OperationKind::transpose,
                                                   OperationKind::block,
                                                   OperationKind::replace,
                                                   OperationKind::lu,
                                                   OperationKind::rref,
                                                   OperationKind::svd,
                                                   OperationKind::singular_values,
                                                   OperationKind::eig,
                                                   OperationKind::eigenvalues,
                                                   OperationKind::solve,
                                                   OperationKind::tridiagonals,
                                                   OperationKind::solve_each,
                                                   OperationKind::inverse};
        Operation operation{.kind = kKinds[below(static_cast<int>(std::size(kKinds)))]};
        operation.inputs.resize(static_cast<std::size_t>(row_of(operation.kind).n_inputs));
        auto step = [&] { return below(4) == 0 ? below(3) - 1 : 1; };
        operation.origin = {below(2), below(2), step(), step()};
        operation.shape = {1 + below(2), 1 + below(2), Precision::float64};
        return operation;
    }

    /// x -> (2 |x| + x) x^T, recorded and replayed.
    void sequence() {
        auto input = any_value();
        auto& serial = serial_values_[values_[input].serial];
        if (serial.failed) return;
        auto recorded = std::make_shared<Sequence>(std::vector<Shape>{serial.shape});
        auto add = [&](Operation operation) {
            auto result = recorded->add(operation)[0];
            std::vector<std::size_t> inputs;
            for (ValueId id : operation.inputs) inputs.push_back(names_[id - 1]);
            names_.push_back(add_serial(operation, inputs)[0]);
            return result;
        };
        names_ = {values_[input].serial};
        auto element = [](ElementCode code, ElementForm form, std::vector<ValueId> inputs) {
            return Operation{.kind = OperationKind::element,
                             .inputs = std::move(inputs),
                             .element = {code, form, 2}};
        };
        auto size = add(element(ElementCode::absolute, ElementForm::one, {1}));
        auto twice = add(element(ElementCode::multiply, ElementForm::scalar_left, {size}));
        auto sum = add(element(ElementCode::add, ElementForm::both, {twice, 1}));
        auto turned = add({.kind = OperationKind::transpose, .inputs = {1}});
        auto product = add({.kind = OperationKind::matmul, .inputs = {sum, turned}});
        recorded->finish({sum, product});
        give_inputs({.kind = OperationKind::sequence, .sequence = recorded}, {input},
                    {names_[sum - 1], names_[product - 1]});
    }

    /// Submits an operation with random inputs to both executions.
    void give(Operation operation) {
        std::vector<std::size_t> inputs, serial_inputs;
        for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
            inputs.push_back(any_value());
            serial_inputs.push_back(values_[inputs.back()].serial);
            // Values that are no longer held cannot be named as inputs; their last use would be
            // uncertain.
            if (!values_[inputs.back()].is_held) return;
        }
        auto serial = add_serial(operation, serial_inputs);
        give_inputs(std::move(operation), inputs, serial);
    }

    std::vector<std::size_t> add_serial(const Operation& operation,
                                        const std::vector<std::size_t>& inputs) {
        std::vector<const SerialValue*> values;
        for (auto input : inputs) values.push_back(&serial_values_[input]);
        auto made = serial_.run(operation, values);
        std::vector<std::size_t> indices;
        for (auto& value : made) {
            indices.push_back(serial_values_.size());
            serial_values_.push_back(std::move(value));
        }
        return indices;
    }

    void give_inputs(Operation operation, const std::vector<std::size_t>& inputs,
                     const std::vector<std::size_t>& serial) {
        operation.inputs.clear();
        for (auto input : inputs) {
            if (!values_[input].is_held) return;
            operation.inputs.push_back(values_[input].id);
        }
        if (faults_.timeouts && chance(10)) operation.timeout = 1e-6 * below(300) + 1e-9;
        auto results = queue_.enqueue(std::move(operation));
        operations_.push_back({inputs});
        for (std::size_t r = 0; r < results.size(); ++r)
            values_.push_back({results[r], operations_.size() - 1, serial[r], true});
    }

    void compare(const GraphValue& value) {
        auto host = queue_.fetch(value.id);
        auto& expected = serial_values_[value.serial];
        if (host.error) return check_error(value, host.error, expected);
        ASSERT_FALSE(expected.failed) << "serial execution has failed";
        ASSERT_EQ(host.shape, expected.shape);
        auto bytes = serial_.downloaded(expected);
        ASSERT_TRUE(is_same(expected.shape, host.data.get(), bytes.data()));
        // The inputs of a successful operation were not cancelled.
        for (auto input : operations_[value.operation].inputs)
            ASSERT_NE(queue_.error(values_[input].id).failure, QueueFailure::cancelled);
    }

    void check_error(const GraphValue& value, const QueueError& error,
                     const SerialValue& expected) {
        ASSERT_FALSE(error.message.empty());
        switch (error.failure) {
            case QueueFailure::cancelled:
                ASSERT_TRUE(faults_.cancels) << error.message;
                break;
            case QueueFailure::timed_out:
                ASSERT_TRUE(faults_.timeouts) << error.message;
                break;
            case QueueFailure::no_memory:
                ASSERT_TRUE(faults_.memory) << error.message;
                break;
            default:
                ASSERT_TRUE(expected.failed) << error.message;
        }
        // An operand that has failed, and is still known, has passed on this error or one like it.
        for (auto input : operations_[value.operation].inputs) {
            auto& operand = values_[input];
            if (!operand.is_held) continue;
            auto cause = queue_.error(operand.id);
            bool is_known = cause && cause.failure != QueueFailure::unknown;
            ASSERT_TRUE(!is_known || passes_on(value, error)) << error.message;
        }
    }

    /// Whether the error is that of an operand, or of the operation itself before that one failed.
    bool passes_on(const GraphValue& value, const QueueError& error) {
        bool own = queue_.error(value.id).message == error.message;
        return own || std::ranges::any_of(operations_[value.operation].inputs, [&](auto input) {
                   return queue_.error(values_[input].id).message == error.message;
               });
    }

    std::mt19937_64 random_;
    test::FaultyDevice& device_;
    SerialExecution& serial_;
    Queue& queue_;
    GraphFaults faults_;
    bool paused_ = false, is_single_ = false;
    std::vector<GraphValue> values_;
    std::vector<GraphOperation> operations_;
    std::vector<SerialValue> serial_values_;
    std::vector<std::size_t> names_;  ///< indices of a sequence's values among the serial ones
};

void check_graphs(Device& device) {
    const char* wanted = std::getenv("TREELIGHT_QUEUE_GRAPHS");
    // Small problems take a GPU longer.
    std::uint64_t usual = device.kind() == DeviceKind::cuda ? 150 : 3000;
    std::uint64_t n_graphs = wanted ? std::strtoull(wanted, nullptr, 10) : usual;
    constexpr std::uint64_t kGraphsPerQueue = 20;
    test::FaultyDevice faulty(device);
    SerialExecution serial(device);
    QueueCounts sums;
    for (std::uint64_t first = 0; first < n_graphs; first += kGraphsPerQueue) {
        {
            Queue queue(faulty, {.fuse = first / kGraphsPerQueue % 4 != 3});
            for (std::uint64_t seed = first; seed < std::min(first + kGraphsPerQueue, n_graphs);
                 ++seed) {
                SCOPED_TRACE("graph " + std::to_string(seed));
                // Half of the graphs are without faults.
                GraphFaults faults{seed % 8 == 1 || seed % 8 == 7, seed % 8 == 3 || seed % 8 == 7,
                                   seed % 8 == 5 || seed % 8 == 7};
                bool is_last = seed + 1 == first + kGraphsPerQueue;
                // The last one is cut off by the end of its queue.
                RandomGraph(seed, faulty, serial, queue, faults).run(!is_last);
                if (::testing::Test::HasFatalFailure()) return;
                if (is_last) break;
                queue.wait_for_all();
                ASSERT_EQ(queue.n_values(), 0U);
                ASSERT_EQ(faulty.n_live(), 0);
            }
            auto counts = queue.counts();
            sums.operations += counts.operations;
            sums.fused += counts.fused;
            sums.failures += counts.failures;
        }
        ASSERT_EQ(faulty.n_live(), 0);
        ASSERT_EQ(faulty.n_pinned(), 0);
    }
    std::printf("%lu graphs, %lu operations, %lu fused, %lu failed, %ld allocations refused\n",
                static_cast<unsigned long>(n_graphs), static_cast<unsigned long>(sums.operations),
                static_cast<unsigned long>(sums.fused), static_cast<unsigned long>(sums.failures),
                faulty.n_failed());
}

TEST(QueueGraphsOnCpu, GiveWhatSerialExecutionGives) {
    check_graphs(find_device("cpu"));
}
TEST(QueueGraphsOnCuda, GiveWhatSerialExecutionGives) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    check_graphs(find_device("cuda"));
}

}  // namespace tl::queue_graphs_tests
