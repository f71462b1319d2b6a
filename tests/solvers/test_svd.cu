// Treelight's own SVD modes on every kind and shape of matrix, on every device.
#include <random>

#include "solvers/svd/divide_conquer.h"
#include "solvers/svd/svd_dense.h"
#include "tests/long_test.h"
#include "tests/solvers/narrow_device.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {

using namespace tl::test;

const std::vector<std::string> kModes{"divide-conquer", "golub-reinsch"};

template <class T>
void check_matrix(Stream& stream, const std::string& mode, const MatrixSpec& spec) {
    SCOPED_TRACE(mode + " of " + spec.kind + " " + std::to_string(spec.rows) + "x" +
                 std::to_string(spec.cols) + " seed " + std::to_string(spec.seed) +
                 (sizeof(T) == 4 ? " float" : " double"));
    auto blas = make_blas(stream);
    std::vector<double> known;
    auto a = make_matrix<T>(*blas, spec, &known);
    auto result = solve<T>(stream, mode, a.view());
    EXPECT_EQ(result.mode, mode);
    expect_decomposition<T>(*blas, a.view(), result);
    double limit = tolerance<T>(spec.rows, spec.cols);
    EXPECT_LE(value_error(result.values, lapack_values(to_host(stream, a))), limit);
    if (known.empty()) return;
    EXPECT_LE(value_error(result.values, known), 2 * limit);
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Svd, EveryKindOfMatrixIsDecomposed) {
    TL_LONG_TEST();
    for (auto& mode : kModes)
        for (auto& kind : matrix_kinds()) {
            check_matrix<double>(stream, mode, {kind.id, 150, 150, 1e14, 1});
            check_matrix<float>(stream, mode, {kind.id, 150, 150, 1e14, 1});
            check_matrix<double>(stream, mode, {kind.id, 130, 70, 1e6, 2});
        }
}

TL_DEVICE_TEST(Svd, EverySizeUpTo70IsDecomposed) {
    for (auto& mode : kModes)
        for (int n = 1; n <= 70; ++n) {
            check_matrix<double>(stream, mode, {"uniform", n, n, 1, static_cast<unsigned>(n)});
            if (n % 7 == 0) check_matrix<float>(stream, mode, {"uniform", n, n, 1, 3});
        }
}

TL_DEVICE_TEST(Svd, ShapesAtRandomAreDecomposed) {
    const unsigned seed = 20261122;
    std::mt19937 random(seed);
    for (int i = 0; i < 24; ++i) {
        int rows = 1 + static_cast<int>(random() % 300), cols = 1 + static_cast<int>(random() % 90);
        if (i % 2) std::swap(rows, cols);
        check_matrix<double>(stream, kModes[i / 2 % 2],
                             {i % 3 ? "uniform" : "geometric", rows, cols, 1e8, random()});
    }
}

TL_DEVICE_TEST(Svd, LargeEnoughForManyJoins) {
    TL_LONG_TEST();
    for (const char* kind : {"uniform", "clustered", "geometric", "rank-deficient"})
        check_matrix<double>(stream, "divide-conquer", {kind, 420, 420, 1e14, 5});
}

TL_DEVICE_TEST(Svd, FullVectorsAreSquareAndOrthogonal) {
    auto blas = make_blas(stream);
    for (auto& mode : kModes)
        for (auto [rows, cols] : {std::pair{90, 40}, {40, 90}, {50, 45}, {33, 33}, {60, 1}}) {
            SCOPED_TRACE(mode + " " + std::to_string(rows) + "x" + std::to_string(cols));
            auto a = make_matrix<double>(*blas, {"uniform", rows, cols, 1, 7});
            auto result = solve<double>(stream, mode, a.view(), {SvdVectors::full});
            EXPECT_EQ(result.u.cols(), rows);
            EXPECT_EQ(result.v.cols(), cols);
            expect_decomposition<double>(*blas, a.view(), result);
        }
}

TL_DEVICE_TEST(Svd, ValuesAloneAreTheSame) {
    auto blas = make_blas(stream);
    for (auto [rows, cols] : {std::pair{100, 100}, {150, 40}, {40, 150}}) {
        auto a = make_matrix<double>(*blas, {"uniform", rows, cols, 1, 8});
        auto with = solve<double>(stream, "divide-conquer", a.view());
        auto without = solve<double>(stream, "divide-conquer", a.view(), {SvdVectors::none});
        EXPECT_EQ(without.u.cols(), 0);
        EXPECT_LE(value_error(without.values, with.values), 1e-14);
    }
}

TL_DEVICE_TEST(Svd, ValuesAloneMayComeFromTheMethodThatIsHandedIn) {
    auto blas = make_blas(stream);
    SvdDenseConfig by_method;
    by_method.most_values_by_qr = 64;
    for (auto [rows, cols] : {std::pair{100, 100}, {150, 65}, {64, 64}}) {
        auto a = make_matrix<double>(*blas, {"geometric", rows, cols, 1e6, 8});
        SolverRun run;
        auto by_qr = svd_dense<double>(stream, a.view(), {SvdVectors::none}, {},
                                       divide_and_conquer<double>, run);
        int n_calls = 0;
        BidiagonalSvd<double> counted = [&](auto&&... arguments) {
            ++n_calls;
            return divide_and_conquer<double>(std::forward<decltype(arguments)>(arguments)...);
        };
        auto result =
            svd_dense<double>(stream, a.view(), {SvdVectors::none}, by_method, counted, run);
        EXPECT_EQ(n_calls, cols > 64 ? 1 : 0);
        EXPECT_EQ(result.u.cols(), 0);
        EXPECT_LE(value_error(result.values, by_qr.values), 1e-14);
        // Its vectors take memory.
        auto more = svd_dense_bytes(rows, cols, {SvdVectors::none}, by_method, 2, 8);
        auto less = svd_dense_bytes(rows, cols, {SvdVectors::none}, {}, 2, 8);
        EXPECT_EQ(more - less, cols > 64 ? 4u * cols * cols * 8 : 0u);
    }
}

TL_DEVICE_TEST(Svd, ARankLeavesTheLargestTriplets) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"geometric", 90, 60, 1e4, 9});
    auto all = solve<double>(stream, "divide-conquer", a.view());
    SvdRequest request;
    request.rank = 7;
    for (const char* mode : {"divide-conquer", "golub-reinsch", "randomised", "auto"}) {
        auto few = solve<double>(stream, mode, a.view(), request);
        ASSERT_EQ(few.values.size(), 7u);
        EXPECT_EQ(few.u.cols(), 7);
        EXPECT_EQ(few.v.cols(), 7);
        all.values.resize(7);
        EXPECT_LE(value_error(few.values, all.values), 1e-12) << mode;
        auto accuracy = measure_svd<double>(*blas, a.view(), few);
        EXPECT_LE(accuracy.orthogonality_u, 1e-13);
        EXPECT_LE(accuracy.orthogonality_v, 1e-13);
        // The residual comes from the omitted values.
        EXPECT_GT(accuracy.residual, 1e-3);
    }
}

TL_DEVICE_TEST(Svd, ASampleHoldsAMatrixOfLowRank) {
    auto blas = make_blas(stream);
    SvdRequest request;
    request.rank = 150;
    for (auto [rows, cols] : {std::pair{500, 300}, {300, 500}}) {
        std::vector<double> known;
        auto a = make_matrix<double>(*blas, {"rank-deficient", rows, cols, 1, 13}, &known);
        auto result = solve<double>(stream, "randomised", a.view(), request);
        auto accuracy = measure_svd<double>(*blas, a.view(), result);
        EXPECT_LE(accuracy.residual, 1e-13);
        EXPECT_LE(accuracy.orthogonality_u, 1e-13);
        EXPECT_LE(accuracy.orthogonality_v, 1e-13);
        known.resize(150);
        EXPECT_LE(value_error(result.values, known), 1e-13);
        // Few triplets of many: the automatic mode also uses the randomised mode.
        request.rank = 15;
        EXPECT_EQ(solve<double>(stream, "auto", a.view(), request).mode, "randomised");
        request.rank = 150;
        EXPECT_EQ(solve<double>(stream, "auto", a.view(), request).mode, "divide-conquer");
    }
}

TL_DEVICE_TEST(Svd, ExtremeScalesLoseNothing) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 60, 45, 1, 10});
    auto host = to_host(stream, a);
    auto reference = solve<double>(stream, "divide-conquer", a.view());
    for (int power : {-1000, -600, 600, 1000}) {
        SCOPED_TRACE(power);
        auto scaled = host;
        for (auto& value : scaled.data) value = std::ldexp(value, power);
        Matrix<double> b(stream, 60, 45);
        b.upload(stream, scaled.data);
        for (auto& mode : kModes) {
            auto result = solve<double>(stream, mode, b.view());
            expect_decomposition<double>(*blas, b.view(), result);
            for (auto& value : result.values) value = std::ldexp(value, -power);
            EXPECT_LE(value_error(result.values, reference.values), 1e-14);
        }
    }
    // Elements from 1e-300 to 1e300 in one matrix.
    auto wild = host;
    for (int j = 0; j < 45; ++j)
        for (int i = 0; i < 60; ++i) wild(i, j) *= std::pow(10.0, (i * 45 + j) % 601 - 300);
    Matrix<double> b(stream, 60, 45);
    b.upload(stream, wild.data);
    for (auto& mode : kModes)
        expect_decomposition<double>(*blas, b.view(), solve<double>(stream, mode, b.view()));
}

TL_DEVICE_TEST(Svd, WhatIsNotFiniteIsNamed) {
    for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        HostMatrix<double> host(20, 12);
        for (auto& value : host.data) value = 1;
        host(17, 5) = bad;
        Matrix<double> a(stream, 20, 12);
        a.upload(stream, host.data);
        for (const char* mode : {"divide-conquer", "golub-reinsch", "randomised"}) {
            SvdRequest request;
            request.rank = 3;
            try {
                (void)solve<double>(stream, mode, a.view(), request);
                FAIL() << mode;
            } catch (const UserError& error) {
                EXPECT_NE(std::string(error.what()).find("(17, 5)"), std::string::npos)
                    << error.what();
            }
        }
    }
}

TL_DEVICE_TEST(Svd, TwiceTheSameBits) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 210, 190, 1, 11});
    SvdRequest request;
    for (const char* mode : {"divide-conquer", "golub-reinsch", "randomised"}) {
        request.rank = std::string(mode) == "randomised" ? 10 : 0;
        auto first = solve<double>(stream, mode, a.view(), request);
        auto second = solve<double>(stream, mode, a.view(), request);
        EXPECT_EQ(first.values, second.values) << mode;
        EXPECT_EQ(first.u.download(stream), second.u.download(stream)) << mode;
        EXPECT_EQ(first.v.download(stream), second.v.download(stream)) << mode;
    }
}

TL_DEVICE_TEST(Svd, BothDevicesFindTheSame) {
    auto cpu_stream = find_device("cpu").create_stream();
    auto cpu_blas = make_blas(*cpu_stream), blas = make_blas(stream);
    auto a = make_matrix<double>(*cpu_blas, {"uniform", 120, 80, 1, 12});
    Matrix<double> b(stream, 120, 80);
    b.upload(stream, a.download(*cpu_stream));
    for (auto& mode : kModes) {
        auto here = solve<double>(stream, mode, b.view());
        auto there = solve<double>(*cpu_stream, mode, a.view());
        EXPECT_LE(value_error(here.values, there.values), 1e-14);
        // Vectors of well separated values agree but for their sign.
        auto u = here.u.download(stream), v = there.u.download(*cpu_stream);
        double product = 0;
        for (int i = 0; i < 120; ++i) product += u[i] * v[i];
        EXPECT_NEAR(std::abs(product), 1, 1e-10);
    }
}

TL_DEVICE_TEST(Svd, RequestsThatMakeNoSenseAreRefused) {
    Matrix<double> a(stream, 10, 8);
    a.fill_zero(stream);
    SvdRequest request;
    request.rank = 9;
    EXPECT_THROW((void)solve<double>(stream, "divide-conquer", a.view(), request), UsageError);
    request = {SvdVectors::full, 3, 0};
    EXPECT_THROW((void)solve<double>(stream, "golub-reinsch", a.view(), request), UsageError);
    EXPECT_THROW((void)solve<double>(stream, "randomised", a.view()), UsageError);
    EXPECT_THROW((void)solve<double>(stream, "no-such-mode", a.view()), UsageError);
    SolverRun run;
    run.cancel();
    auto blas = make_blas(stream);
    auto b = make_matrix<double>(*blas, {"uniform", 80, 80, 1, 1});
    EXPECT_THROW((void)make_svd_solver("divide-conquer", stream.device())
                     ->solve(stream, MatrixView<const double>(b.view()), SvdRequest{}, run),
                 Cancelled);
    SolverRun part(run, 0.5, 1);
    EXPECT_THROW(part.report(0.5), Cancelled);
    EXPECT_EQ(run.progress(), 0.75f);
}

/// Small cases that launch every kernel of solvers/, for tools that slow down each launch.
TL_DEVICE_TEST(Svd, EveryKernelOnce) {
    check_matrix<double>(stream, "divide-conquer", {"clustered", 70, 70, 1e14, 1});
    check_matrix<float>(stream, "divide-conquer", {"rank-deficient", 70, 70, 1e14, 1});
    check_matrix<double>(stream, "golub-reinsch", {"graded", 36, 36, 1e6, 2});
    check_matrix<float>(stream, "golub-reinsch", {"toeplitz", 36, 36, 1, 2});
    auto blas = make_blas(stream);
    for (auto [rows, cols] : {std::pair{90, 36}, {36, 40}}) {
        auto a = make_matrix<double>(*blas, {"geometric", rows, cols, 1e4, 3});
        auto full = solve<double>(stream, "divide-conquer", a.view(), {SvdVectors::full});
        expect_decomposition<double>(*blas, a.view(), full);
        SvdRequest request;
        request.rank = 4;
        auto few = solve<double>(stream, "randomised", a.view(), request);
        full.values.resize(4);
        EXPECT_LE(value_error(few.values, full.values), 1e-12);
    }
}

TL_DEVICE_TEST(Svd, WhatCannotFitIsRefusedInWordsAndNothingIsAllocated) {
    // Simulates a machine with slightly less free memory than two matrices of n = 16384 need.
    constexpr int kSize = 16384;
    test::NarrowDevice narrow(device, std::uint64_t{4000} << 20);
    auto narrow_stream = narrow.create_stream();
    std::size_t n_peers = 0;
    for (auto& row : svd_solvers()) {
        bool cuda = device.kind() == DeviceKind::cuda;
        if (!(cuda ? row.make_cuda : row.make_cpu)) continue;
        SCOPED_TRACE(row.id);
        n_peers += row.peer;
        auto solver = make_svd_solver(row.id, narrow);
        SvdRequest request;
        if (row.id == "randomised") request.rank = 8000;
        auto need = solver->memory_bytes(kSize, kSize, request, sizeof(double));
        EXPECT_GT(need, std::uint64_t{kSize} * kSize * sizeof(double));
        SolverRun run;
        // No element may be read: there is no data.
        MatrixView<const double> a(nullptr, kSize, kSize, kSize);
        try {
            (void)solver->solve(*narrow_stream, a, request, run);
            FAIL();
        } catch (const UserError& error) {
            std::string words = error.what();
            EXPECT_NE(words.find("needs about " + std::to_string(need >> 20) + " MB"),
                      std::string::npos)
                << words;
            EXPECT_NE(words.find("4000 MB are free"), std::string::npos) << words;
            EXPECT_NE(words.find("smaller matrix"), std::string::npos) << words;
        }
        EXPECT_EQ(narrow.n_allocations(), 0u);
    }
    EXPECT_GE(n_peers, 2u);
    // Smaller problems, which fit, are solved.
    auto solver = make_svd_solver("divide-conquer", narrow);
    EXPECT_NO_THROW(require_memory(narrow, solver->memory_bytes(1024, 1024, {}, 8), "svd", ""));
}
