// Queue of operations as its users see it, on every device.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "solvers/queue/queue.h"
#include "solvers/queue/sequence.h"
#include "tests/solvers/faulty_device.h"

/// Defines QueueOnCpu.Behaviour and QueueOnCuda.Behaviour; the body has a `device`.
#define TL_QUEUE_TEST(behaviour)                                     \
    namespace tl::queue_tests {                                      \
    void behaviour(Device& device);                                  \
    TEST(QueueOnCpu, behaviour) {                                    \
        behaviour(find_device("cpu"));                               \
    }                                                                \
    TEST(QueueOnCuda, behaviour) {                                   \
        if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence(); \
        behaviour(find_device("cuda"));                              \
    }                                                                \
    }                                                                \
    void tl::queue_tests::behaviour(Device& device)

namespace tl::queue_tests {

using Numbers = std::vector<double>;

ValueId upload(Queue& queue, int rows, int cols, const Numbers& columns) {
    return queue.upload({rows, cols, Precision::float64}, columns.data(),
                        static_cast<std::size_t>(rows));
}

ValueId both(Queue& queue, ElementCode code, ValueId a, ValueId b) {
    return queue.enqueue({.kind = OperationKind::element, .inputs = {a, b}, .element = {code}})[0];
}

ValueId with(Queue& queue, ElementCode code, ValueId a, double scalar) {
    ElementOp op{code, ElementForm::scalar_right, scalar};
    return queue.enqueue({.kind = OperationKind::element, .inputs = {a}, .element = op})[0];
}

std::vector<ValueId> apply(Queue& queue, OperationKind kind, std::vector<ValueId> inputs) {
    return queue.enqueue({.kind = kind, .inputs = std::move(inputs)});
}

Numbers fetched(Queue& queue, ValueId value) {
    auto host = queue.fetch(value);
    EXPECT_EQ(host.error.message, "");
    if (host.error) return {};
    auto* first = static_cast<const double*>(host.data.get());
    return {first, first + host.shape.elements()};
}

Numbers random_numbers(std::size_t count, unsigned seed) {
    Numbers numbers(count);
    std::uint64_t state = seed * 2654435761U + 1;
    for (double& number : numbers) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        number = static_cast<double>(state >> 11) * 0x1p-52 - 1;
    }
    return numbers;
}

}  // namespace tl::queue_tests

// Listing 4.7 of Brodtkorb 2007: C = A B and D = C C are given before A and B have arrived.
TL_QUEUE_TEST(OperationsFollowResultsThatDoNotExistYet) {
    Queue queue(device);
    auto a = upload(queue, 2, 2, {1, 3, 2, 4}), b = upload(queue, 2, 2, {0, 1, 1, 0});
    auto c = apply(queue, OperationKind::matmul, {a, b})[0];
    auto d = apply(queue, OperationKind::matmul, {c, c})[0];
    queue.read(d);
    EXPECT_EQ(queue.shape(d), (Shape{2, 2, Precision::float64}));
    EXPECT_EQ(fetched(queue, d), (Numbers{8, 20, 5, 13}));
    EXPECT_EQ(queue.state(d), ValueState::ready);
    EXPECT_EQ(fetched(queue, c), (Numbers{2, 4, 1, 3}));
}

TL_QUEUE_TEST(EveryOperationHasTheShapesThatItPromises) {
    Queue queue(device);
    auto a = upload(queue, 4, 4, random_numbers(16, 1)),
         b = upload(queue, 4, 2, random_numbers(8, 2)), order = upload(queue, 4, 1, {0, 1, 2, 3});
    for (auto& row : operation_rows()) {
        if (row.n_inputs < 1 || row.n_results < 1) continue;
        Operation operation{.kind = row.kind, .inputs = {a}};
        if (row.n_inputs == 2) operation.inputs.push_back(b);
        if (row.kind == OperationKind::lu_solve) operation.inputs = {a, order, b};
        if (row.kind == OperationKind::tridiagonals) operation.inputs = {a, a};
        operation.shape = {2, 3, Precision::float64};
        auto results = queue.enqueue(operation);
        ASSERT_EQ(results.size(), static_cast<std::size_t>(row.n_results)) << row.id;
        for (ValueId result : results) {
            auto promised = queue.shape(result);
            auto host = queue.fetch(result);
            EXPECT_EQ(host.error.message, "") << row.id;
            EXPECT_EQ(host.shape, promised) << row.id;
            EXPECT_GT(promised.elements(), 0U) << row.id;
        }
    }
}

TL_QUEUE_TEST(FactorsOfAreThoseOfTheirMatrix) {
    Queue queue(device);
    auto a = upload(queue, 3, 3, {2, 4, 8, 1, 3, 7, 1, 3, 9});
    auto factors = apply(queue, OperationKind::lu, {a});
    auto product = apply(queue, OperationKind::matmul, {factors[0], factors[1]})[0];
    EXPECT_EQ(fetched(queue, factors[2]), (Numbers{2, 0, 1}));
    // Rows 2, 0, 1 of A; elements are small and exact.
    auto rows = fetched(queue, product);
    Numbers expected{8, 2, 4, 7, 1, 3, 9, 1, 3};
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-14);
    auto values = fetched(
        queue, apply(queue, OperationKind::eigenvalues, {upload(queue, 2, 2, {0, -1, 1, 0})})[0]);
    // i and -i: real parts, then imaginary parts.
    ASSERT_EQ(values.size(), 4U);
    EXPECT_NEAR(values[0], 0, 1e-15);
    EXPECT_NEAR(std::abs(values[2]), 1, 1e-15);
    EXPECT_EQ(values[2], -values[3]);
}

TL_QUEUE_TEST(StoredFactorsSolveForManySides) {
    Queue queue(device);
    constexpr int kRows = 60;
    auto a = upload(queue, kRows, kRows, random_numbers(kRows * kRows, 5));
    auto factors = apply(queue, OperationKind::lu_factors, {a});
    for (unsigned side = 0; side < 3; ++side)
        for (bool transposed : {false, true}) {
            auto numbers = random_numbers(kRows, 6 + side);
            auto b = upload(queue, kRows, 1, numbers);
            auto x = queue.enqueue({.kind = OperationKind::lu_solve,
                                    .inputs = {factors[0], factors[1], b},
                                    .transposed = transposed})[0];
            auto left = transposed ? apply(queue, OperationKind::transpose, {a})[0] : a;
            auto product = fetched(queue, apply(queue, OperationKind::matmul, {left, x})[0]);
            for (int i = 0; i < kRows; ++i) EXPECT_NEAR(product[i], numbers[i], 1e-10);
        }
    auto small = upload(queue, 2, 2, {1, 0, 0, 1}), side = upload(queue, 2, 1, {1, 1});
    for (const Numbers& wrong : {Numbers{0, 0}, Numbers{0, 2}, Numbers{-1, 0}}) {
        auto order = upload(queue, 2, 1, wrong);
        auto x = apply(queue, OperationKind::lu_solve, {small, order, side})[0];
        EXPECT_NE(queue.fetch(x).error.message.find("order"), std::string::npos);
    }
}

TL_QUEUE_TEST(ChainsBecomeOneLaunchAndKeepTheirBits) {
    Numbers a = random_numbers(5000, 3), b = random_numbers(5000, 4);
    Numbers results[2];
    for (bool fuse : {false, true}) {
        Queue queue(device, {.fuse = fuse});
        auto x = upload(queue, 100, 50, a), y = upload(queue, 100, 50, b);
        queue.wait_for_all();
        auto before = queue.counts();
        ValueId last = 0;
        {
            QueueBatch batch(queue);
            auto sum = both(queue, ElementCode::add, x, y);
            auto product = both(queue, ElementCode::multiply, sum, x);
            last = with(queue, ElementCode::divide, product, 3);
            queue.release(sum);
            queue.release(product);
        }
        results[fuse] = fetched(queue, last);
        auto counts = queue.counts();
        // The read is a launch of its own lane.
        EXPECT_EQ(counts.launches - before.launches, fuse ? 2U : 4U);
        EXPECT_EQ(counts.fused, fuse ? 3U : 0U);
        EXPECT_EQ(counts.unstored, fuse ? 2U : 0U);
        EXPECT_EQ(queue.n_values(), 3U);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0][7], (a[7] + b[7]) * a[7] / 3);
}

TL_QUEUE_TEST(ResultsWithinAChainThatAreWantedAreStored) {
    Queue queue(device);
    auto x = upload(queue, 2, 1, {1, 2});
    ValueId sum = 0, root = 0, other = 0;
    {
        QueueBatch batch(queue);
        sum = both(queue, ElementCode::add, x, x);
        root = with(queue, ElementCode::multiply, sum, 10);
        other = apply(queue, OperationKind::transpose, {sum})[0];
    }
    EXPECT_EQ(fetched(queue, root), (Numbers{20, 40}));
    EXPECT_EQ(fetched(queue, sum), (Numbers{2, 4}));
    EXPECT_EQ(fetched(queue, other), (Numbers{2, 4}));
}

TL_QUEUE_TEST(PowersComparisonsAndLogicalOperations) {
    Queue queue(device);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    auto x = upload(queue, 5, 1, {2, -3, 0, nan, 9}), y = upload(queue, 5, 1, {2, 3, -1, nan, 0.5});
    auto powers = fetched(queue, both(queue, ElementCode::power, x, y));
    EXPECT_DOUBLE_EQ(powers[0], 4);
    EXPECT_DOUBLE_EQ(powers[1], -27);
    EXPECT_EQ(powers[2], std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(powers[3]));
    EXPECT_DOUBLE_EQ(powers[4], 3);
    EXPECT_TRUE(std::isnan(fetched(queue, with(queue, ElementCode::power, x, 0.5))[1]));
    const std::pair<ElementCode, Numbers> cases[] = {
        {ElementCode::equal, {1, 0, 0, 0, 0}},       {ElementCode::not_equal, {0, 1, 1, 1, 1}},
        {ElementCode::less, {0, 1, 0, 0, 0}},        {ElementCode::less_equal, {1, 1, 0, 0, 0}},
        {ElementCode::logical_and, {1, 1, 0, 1, 1}}, {ElementCode::logical_or, {1, 1, 1, 1, 1}}};
    for (auto& [code, expected] : cases)
        EXPECT_EQ(fetched(queue, both(queue, code, x, y)), expected) << name_of(code);
    EXPECT_EQ(fetched(queue, with(queue, ElementCode::logical_or, x, 0)), (Numbers{1, 1, 0, 1, 1}));
    // A number on the left, as in 1 < x.
    ElementOp below{ElementCode::less, ElementForm::scalar_left, 1};
    auto above =
        queue.enqueue({.kind = OperationKind::element, .inputs = {x}, .element = below})[0];
    EXPECT_EQ(fetched(queue, above), (Numbers{1, 0, 0, 0, 1}));
}

TL_QUEUE_TEST(BlocksTakeEveryKthRowAndColumn) {
    Queue queue(device);
    constexpr int kRows = 5, kCols = 4;
    auto a = random_numbers(kRows * kCols, 5);
    auto x = upload(queue, kRows, kCols, a);
    auto y = upload(queue, 2, 2, {1, 2, 3, 4});
    for (auto origin : {BlockOrigin{0, 0, 2, 3}, BlockOrigin{4, 3, -3, -1}, BlockOrigin{1, 2, 1, 1},
                        BlockOrigin{3, 0, -1, 2}}) {
        Operation block{.kind = OperationKind::block, .inputs = {x}, .origin = origin};
        block.shape = {2, 2, Precision::float64};
        auto taken = fetched(queue, queue.enqueue(block)[0]);
        auto replaced = fetched(
            queue,
            queue.enqueue({.kind = OperationKind::replace, .inputs = {x, y}, .origin = origin})[0]);
        auto changed = a;
        Numbers expected;
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 2; ++i) {
                int at =
                    origin.row + i * origin.row_step + (origin.col + j * origin.col_step) * kRows;
                expected.push_back(a[static_cast<std::size_t>(at)]);
                changed[static_cast<std::size_t>(at)] = 1 + i + 2 * j;
            }
        EXPECT_EQ(taken, expected);
        EXPECT_EQ(replaced, changed);
    }
    for (auto& [origin, words] : {std::pair{BlockOrigin{0, 0, 5, 1}, "by steps of 5 and 1"},
                                  std::pair{BlockOrigin{0, 0, -1, 1}, "is not within 5x4"},
                                  std::pair{BlockOrigin{0, 0, 1, 0}, "to the next is 0"}}) {
        Operation block{.kind = OperationKind::block, .inputs = {x}, .origin = origin};
        block.shape = {2, 2, Precision::float64};
        auto error = queue.wait(queue.enqueue(block)[0]);
        EXPECT_EQ(error.failure, QueueFailure::invalid);
        EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
    }
}

TL_QUEUE_TEST(LongChainsAreSplit) {
    Queue queue(device);
    auto x = upload(queue, 3, 1, {1, 2, 3});
    {
        QueueBatch batch(queue);
        for (int i = 0; i < 200; ++i) {
            auto next = with(queue, ElementCode::add, x, 1);
            queue.release(x);
            x = next;
        }
    }
    EXPECT_EQ(fetched(queue, x), (Numbers{201, 202, 203}));
    EXPECT_GT(queue.counts().launches, 6U);
    EXPECT_LT(queue.counts().launches, 20U);
}

TL_QUEUE_TEST(ErrorsAreValuesThatTravelDownTheChain) {
    Queue queue(device);
    auto singular = upload(queue, 2, 2, {1, 2, 2, 4});
    auto inverse = apply(queue, OperationKind::inverse, {singular})[0];
    auto twice = both(queue, ElementCode::add, inverse, inverse);
    auto values = apply(queue, OperationKind::svd, {twice});
    auto error = queue.wait(values[1]);
    EXPECT_EQ(error.failure, QueueFailure::failed);
    EXPECT_NE(error.message.find("inverse #2: the matrix is singular"), std::string::npos)
        << error.message;
    EXPECT_EQ(queue.error(twice).message, error.message);
    EXPECT_EQ(queue.fetch(twice).error.message, error.message);
    EXPECT_EQ(queue.state(values[0]), ValueState::failed);
    // Values that did not depend on it are not affected.
    EXPECT_EQ(fetched(queue, both(queue, ElementCode::add, singular, singular)),
              (Numbers{2, 4, 4, 8}));
}

TL_QUEUE_TEST(OperandsThatDoNotFitAreErrorsAtOnce) {
    Queue queue(device);
    auto a = upload(queue, 2, 3, Numbers(6)), b = upload(queue, 2, 2, Numbers(4));
    auto failure_of = [&](std::vector<ValueId> results) { return queue.error(results[0]).failure; };
    EXPECT_EQ(failure_of(apply(queue, OperationKind::matmul, {a, b})), QueueFailure::invalid);
    EXPECT_EQ(failure_of(apply(queue, OperationKind::eig, {a})), QueueFailure::invalid);
    EXPECT_EQ(failure_of(apply(queue, OperationKind::lu, {})), QueueFailure::invalid);
    EXPECT_EQ(failure_of(apply(queue, OperationKind::matmul, {a, 99})), QueueFailure::unknown);
    auto sum = both(queue, ElementCode::add, a, b);
    EXPECT_EQ(queue.error(sum).message,
              "add #7: the matrices are 2x3 and 2x2, but have to be of one size");
    float single[4] = {};
    auto c = queue.upload({2, 2, Precision::float32}, single, 2);
    EXPECT_EQ(failure_of(apply(queue, OperationKind::matmul, {b, c})), QueueFailure::invalid);
}

TL_QUEUE_TEST(WhatIsCancelledOrTooLateFailsWithAllBehindIt) {
    Queue queue(device);
    queue.pause();
    auto a = upload(queue, 2, 2, {1, 0, 0, 1});
    auto cancelled = apply(queue, OperationKind::lu, {a});
    auto behind = apply(queue, OperationKind::matmul, {cancelled[0], a})[0];
    auto late = queue.enqueue({.kind = OperationKind::inverse, .inputs = {a}, .timeout = 0.001})[0];
    auto behind_late = both(queue, ElementCode::add, late, a);
    queue.cancel(cancelled[1]);
    EXPECT_EQ(queue.wait(behind).failure, QueueFailure::cancelled);
    EXPECT_EQ(queue.wait(behind_late).failure, QueueFailure::timed_out);
    // Only waiting ended here: the value is still on its way.
    EXPECT_EQ(queue.fetch(a, 0.001).error.failure, QueueFailure::timed_out);
    EXPECT_EQ(queue.state(a), ValueState::waiting);
    queue.resume();
    EXPECT_EQ(fetched(queue, a), (Numbers{1, 0, 0, 1}));
    queue.wait_for_all();
    EXPECT_EQ(queue.n_pending(), 0U);
}

TL_QUEUE_TEST(ASolverThatRunsIsStopped) {
    Queue queue(device);
    constexpr int kRows = 1200;  // seconds for the decomposition of a CPU
    auto a = upload(queue, kRows, kRows, random_numbers(std::size_t{kRows} * kRows, 5));
    auto svd = apply(queue, OperationKind::svd, {a});
    while (queue.state(svd[0]) == ValueState::waiting) std::this_thread::yield();
    auto start = std::chrono::steady_clock::now();
    queue.cancel(svd[0]);
    EXPECT_EQ(queue.wait(svd[1]).failure, QueueFailure::cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
    queue.wait_for_all();
}

TL_QUEUE_TEST(NothingIsLeftWhenAllIsReleased) {
    test::FaultyDevice counted(device);
    {
        Queue queue(counted);
        std::shared_ptr<const void> kept;
        {
            auto a = upload(queue, 8, 8, random_numbers(64, 6));
            auto factors = apply(queue, OperationKind::lu, {a});
            auto product = apply(queue, OperationKind::matmul, {factors[0], factors[1]})[0];
            kept = queue.fetch(product).data;
            for (ValueId value : {a, factors[0], factors[1], factors[2], product})
                queue.release(value);
        }
        queue.wait_for_all();
        EXPECT_EQ(queue.n_values(), 0U);
        EXPECT_EQ(counted.n_live(), 0);
        (void)upload(queue, 500, 500, Numbers(250000));
    }
    EXPECT_EQ(counted.n_live(), 0);
    EXPECT_EQ(counted.n_pinned(), 0);
}

TL_QUEUE_TEST(WhatWasReadOutlivesTheQueue) {
    HostValue host;
    {
        Queue queue(device);
        host = queue.fetch(upload(queue, 2, 1, {5, 6}));
    }
    ASSERT_TRUE(host.data);
    EXPECT_EQ(static_cast<const double*>(host.data.get())[1], 6);
}

TL_QUEUE_TEST(NoMemoryIsAnErrorOfItsOperation) {
    test::FaultyDevice faulty(device);
    Queue queue(faulty);
    auto a = upload(queue, 2, 2, {1, 2, 3, 4});
    EXPECT_FALSE(queue.wait(a));
    faulty.fail_after(0);
    auto b = apply(queue, OperationKind::transpose, {a})[0];
    EXPECT_EQ(queue.wait(b).failure, QueueFailure::no_memory);
    auto c = apply(queue, OperationKind::transpose, {a})[0];
    EXPECT_EQ(fetched(queue, c), (Numbers{1, 3, 2, 4}));
}

TL_QUEUE_TEST(SequencesGiveWhatTheirOperationsGive) {
    constexpr Shape kShape{3, 3, Precision::float64};
    auto sequence = std::make_shared<Sequence>(std::vector<Shape>{kShape, kShape});
    auto element = [&](ElementOp op, std::vector<ValueId> inputs) {
        return sequence->add(
            {.kind = OperationKind::element, .inputs = std::move(inputs), .element = op})[0];
    };
    auto sum = element({ElementCode::add}, {1, 2});
    auto half = element({ElementCode::multiply, ElementForm::scalar_right, 0.5}, {sum});
    auto product = sequence->add({.kind = OperationKind::matmul, .inputs = {half, 1}})[0];
    auto last = element({ElementCode::absolute, ElementForm::one, 0}, {product});
    sequence->finish({last, half, last});
    EXPECT_EQ(sequence->n_steps(), 3U);  // sum and half are one
    EXPECT_TRUE(sequence->is_recordable());
    Queue queue(device);
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto a = upload(queue, 3, 3, random_numbers(9, 2 * seed)),
             b = upload(queue, 3, 3, random_numbers(9, 2 * seed + 1));
        auto direct = with(queue, ElementCode::multiply, both(queue, ElementCode::add, a, b), 0.5);
        auto results = queue.enqueue(
            {.kind = OperationKind::sequence, .inputs = {a, b}, .sequence = sequence});
        ASSERT_EQ(results.size(), 3U);
        EXPECT_EQ(fetched(queue, results[1]), fetched(queue, direct));
        auto expected = fetched(queue, apply(queue, OperationKind::matmul, {direct, a})[0]);
        for (double& number : expected) number = std::abs(number);
        EXPECT_EQ(fetched(queue, results[0]), expected);
        EXPECT_EQ(fetched(queue, results[2]), expected);
    }
    EXPECT_EQ(sequence->n_graph_runs(), device.kind() == DeviceKind::cuda ? 3 : 0);
    auto wrong = queue.enqueue({.kind = OperationKind::sequence,
                                .inputs = {upload(queue, 2, 2, Numbers(4)), 1},
                                .sequence = sequence});
    EXPECT_EQ(queue.error(wrong[2]).failure, QueueFailure::invalid);
}

TL_QUEUE_TEST(TheTimelineShowsEveryLane) {
    Queue queue(device);
    auto a = upload(queue, 64, 64, random_numbers(4096, 7));
    (void)fetched(queue, apply(queue, OperationKind::matmul, {a, a})[0]);
    auto spans = queue.timeline();
    ASSERT_EQ(spans.size(), 3U);
    const char* names[] = {"upload", "matmul", "read"};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_STREQ(spans[i].name, names[i]);
        EXPECT_LE(spans[i].begin, spans[i].end);
        EXPECT_GE(spans[i].begin, i > 0 ? spans[i - 1].end : 0);
    }
    EXPECT_EQ(spans[1].work, 2.0 * 64 * 64 * 64);
    EXPECT_EQ(measure_overlap(spans).hidden, 0);
}

namespace tl::queue_tests {

TEST(Timeline, OverlapIsTheShareOfCopiesBehindComputation) {
    auto span = [](LaneKind lane, double begin, double end) {
        TimelineSpan s;
        s.lane = lane;
        s.begin = begin;
        s.end = end;
        return s;
    };
    auto overlap = measure_overlap({span(LaneKind::upload, 0, 4), span(LaneKind::read, 3, 6),
                                    span(LaneKind::compute, 2, 5), span(LaneKind::compute, 9, 10)});
    EXPECT_EQ(overlap.elapsed, 10);
    EXPECT_EQ(overlap.busy[0], 4);
    EXPECT_EQ(overlap.copies, 6);  // 3 to 4 in both directions
    EXPECT_EQ(overlap.hidden, 3);
    EXPECT_EQ(overlap.percent(), 50);
    EXPECT_EQ(measure_overlap({}).percent(), 0);
}

}  // namespace tl::queue_tests
