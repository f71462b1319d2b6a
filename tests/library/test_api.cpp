// The C interface: from C, its errors, and memory that is not copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/device/device.h"
#include "library/api/treelight.h"
#include "solvers/pose/random_views.h"

extern "C" int use_api_from_c(const char* device);

namespace tl::api_tests {

TEST(ApiOnCpu, WorksFromC) {
    EXPECT_EQ(use_api_from_c("cpu"), 0);
}
TEST(ApiOnCuda, WorksFromC) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    EXPECT_EQ(use_api_from_c("cuda"), 0);
}

class Api : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(tl_queue_create("cpu", &queue_), TL_OK); }
    void TearDown() override { tl_queue_destroy(queue_); }
    tl_value upload(int rows, int cols, const double* numbers) {
        tl_value value = 0;
        EXPECT_EQ(tl_upload(queue_, TL_FLOAT64, rows, cols, numbers, static_cast<std::size_t>(rows),
                            &value),
                  TL_OK);
        return value;
    }
    tl_queue* queue_ = nullptr;
};

TEST_F(Api, ErrorsAreStatusAndText) {
    const double zeros[4] = {};
    auto a = upload(2, 2, zeros), b = upload(1, 2, zeros);
    tl_value inverse = 0, twice = 0, product = 0;
    EXPECT_EQ(tl_inverse(queue_, a, &inverse), TL_OK);
    EXPECT_EQ(tl_elements(queue_, TL_ADD, inverse, inverse, &twice), TL_OK);
    EXPECT_EQ(tl_wait(queue_, twice, -1), TL_FAILED);
    EXPECT_NE(std::string(tl_last_error()).find("singular"), std::string::npos);
    EXPECT_EQ(tl_value_state(queue_, twice), TL_ENDED_IN_ERROR);
    EXPECT_EQ(tl_matmul(queue_, a, b, &product), TL_OK);
    EXPECT_EQ(tl_shape(queue_, product, nullptr, nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_wait(queue_, product, -1), TL_INVALID);
    EXPECT_EQ(tl_wait(queue_, 12345, -1), TL_UNKNOWN);
}

TEST_F(Api, WrongArgumentsAreRefused) {
    double number = 1;
    tl_value value = 0;
    tl_queue* none = nullptr;
    EXPECT_EQ(tl_queue_create("abacus", &none), TL_UNKNOWN);
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(tl_queue_create(nullptr, &none), TL_INVALID);
    EXPECT_EQ(tl_upload(nullptr, TL_FLOAT64, 1, 1, &number, 1, &value), TL_INVALID);
    EXPECT_EQ(tl_upload(queue_, TL_FLOAT64, -1, 1, &number, 1, &value), TL_INVALID);
    EXPECT_EQ(tl_upload(queue_, TL_FLOAT64, 1, 1, nullptr, 1, &value), TL_INVALID);
    EXPECT_EQ(tl_upload(queue_, static_cast<tl_type>(9), 1, 1, &number, 1, &value), TL_INVALID);
    EXPECT_EQ(tl_upload(queue_, TL_FLOAT64, 2, 1, &number, 1, &value), TL_INVALID);
    EXPECT_EQ(tl_inverse(queue_, 1, nullptr), TL_INVALID);
    EXPECT_EQ(tl_elements(queue_, static_cast<tl_element>(77), 1, 1, &value), TL_INVALID);
    EXPECT_EQ(tl_elements_scalar(queue_, TL_NEGATE, 1, 1, 0, &value), TL_INVALID);
    EXPECT_EQ(tl_elements_scalar(queue_, TL_EXPONENTIAL, 1, 1, 0, &value), TL_INVALID);
    EXPECT_EQ(tl_elements_scalar(queue_, static_cast<tl_element>(17), 1, 1, 0, &value), TL_INVALID);
    auto a = upload(1, 1, &number);
    EXPECT_EQ(tl_fetch(queue_, a, -1, nullptr, 1), TL_INVALID);
    EXPECT_EQ(tl_fetch(queue_, a, -1, &number, 0), TL_INVALID);
    EXPECT_EQ(tl_device_id(-1), nullptr);
    EXPECT_STREQ(tl_device_id(0), "cpu");
    EXPECT_NE(tl_device_name(0), nullptr);
    EXPECT_EQ(tl_version_number(), TREELIGHT_VERSION_NUMBER);
    EXPECT_STREQ(tl_version(), "1.0.0");
}

TEST_F(Api, SharedMemoryIsGivenBackOnce) {
    int n_given_back = 0;
    auto give_back = [](void* context) { ++*static_cast<int*>(context); };
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    tl_value a = 0, turned = 0;
    EXPECT_EQ(tl_upload_shared(queue_, TL_FLOAT32, 2, 3, numbers, give_back, &n_given_back, &a),
              TL_OK);
    EXPECT_EQ(tl_transpose(queue_, a, &turned), TL_OK);
    tl_memory* memory = nullptr;
    void* columns = nullptr;
    EXPECT_EQ(tl_fetch_shared(queue_, turned, -1, &memory, &columns), TL_OK);
    EXPECT_EQ(static_cast<float*>(columns)[1], 3);
    EXPECT_EQ(tl_wait_for_all(queue_), TL_OK);
    EXPECT_EQ(n_given_back, 1);
    EXPECT_EQ(tl_upload_shared(queue_, TL_FLOAT32, -2, 3, numbers, give_back, &n_given_back, &a),
              TL_INVALID);
    EXPECT_EQ(n_given_back, 2);
    tl_queue_destroy(queue_);
    queue_ = nullptr;
    EXPECT_EQ(static_cast<float*>(columns)[2], 5);
    tl_memory_free(memory);
}

TEST_F(Api, WhatIsHeldBackCanBeCancelledOrRunOutOfTime) {
    const double numbers[4] = {4, 1, 1, 3};
    EXPECT_EQ(tl_pause(queue_), TL_OK);
    auto a = upload(2, 2, numbers);
    tl_value l = 0, u = 0, p = 0, late = 0;
    EXPECT_EQ(tl_lu(queue_, a, &l, &u, &p), TL_OK);
    EXPECT_EQ(tl_cancel(queue_, u), TL_OK);
    EXPECT_EQ(tl_wait(queue_, p, -1), TL_CANCELLED);
    EXPECT_EQ(tl_set_timeout(queue_, 1e-3), TL_OK);
    EXPECT_EQ(tl_singular_values(queue_, a, &late), TL_OK);
    EXPECT_EQ(tl_wait(queue_, late, -1), TL_TIMED_OUT);
    EXPECT_EQ(tl_wait(queue_, a, 1e-3), TL_TIMED_OUT);
    EXPECT_EQ(tl_value_state(queue_, a), TL_WAITING);
    EXPECT_EQ(tl_resume(queue_), TL_OK);
    EXPECT_EQ(tl_wait(queue_, a, -1), TL_OK);
}

TEST(ApiPose, IsThatOfTheSolver) {
    for (auto kind : {PoseKind::relative, PoseKind::absolute_focal, PoseKind::homography,
                      PoseKind::fundamental}) {
        auto geometry = kind == PoseKind::homography ? ViewsKind::rotation : ViewsKind::general;
        auto views = make_views({kind, geometry, 300, 0.5, 0.3, 3});
        auto options = tl_pose_defaults();
        options.fx = views.camera.fx;
        options.fy = views.camera.fy;
        options.cx = views.camera.cx;
        options.cy = views.camera.cy;
        tl_pose pose;
        std::vector<unsigned char> inliers(300, 7);
        ASSERT_EQ(tl_estimate_pose("cpu", static_cast<tl_pose_kind>(kind), views.matches.data(),
                                   300, &options, &pose, inliers.data()),
                  TL_OK)
            << tl_last_error();
        SolverRun run;
        auto stream = find_device("cpu").create_stream();
        auto own = estimate_pose(*stream, kind, views.camera, views.matches, {}, run);
        EXPECT_TRUE(std::ranges::equal(pose.rotation, own.pose.rotation));
        EXPECT_TRUE(std::ranges::equal(pose.translation, own.pose.translation));
        EXPECT_TRUE(std::ranges::equal(pose.essential, own.essential));
        const ViewMatrix no_matrix{{0, 0, 0, 0, 0, 0, 0, 0, 0}};
        EXPECT_TRUE(
            std::ranges::equal(pose.matrix, finds_matrix(kind) ? own.matrix.m : no_matrix.m));
        EXPECT_TRUE(std::ranges::equal(inliers, own.inliers));
        EXPECT_EQ(pose.focal, own.pose.focal);
        EXPECT_EQ(pose.rms, own.rms);
        EXPECT_EQ(pose.n_inliers, own.n_inliers);
        EXPECT_EQ(pose.doubt, TL_POSE_SOUND);
        EXPECT_STREQ(tl_pose_doubt_words(pose.doubt), "");
    }
}

TEST(ApiPose, WrongArgumentsAreRefused) {
    std::vector<double> matches(4 * 20, 0.5);
    tl_pose pose;
    auto estimate = [&](const char* device, int kind, std::size_t count, auto&& change) {
        auto options = tl_pose_defaults();
        change(options);
        return tl_estimate_pose(device, static_cast<tl_pose_kind>(kind), matches.data(), count,
                                &options, &pose, nullptr);
    };
    auto same = [](tl_pose_options&) {};
    EXPECT_EQ(estimate("abacus", 0, 20, same), TL_UNKNOWN);
    EXPECT_EQ(estimate(nullptr, 0, 20, same), TL_INVALID);
    EXPECT_EQ(estimate("cpu", 9, 20, same), TL_INVALID);
    EXPECT_EQ(estimate("cpu", 0, 5, same), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("too few"), std::string::npos);
    EXPECT_EQ(estimate("cpu", 0, 20, [](auto& o) { o.fx = 0; }), TL_INVALID);
    EXPECT_EQ(estimate("cpu", 0, 20, [](auto& o) { o.threshold = -1; }), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("threshold"), std::string::npos);
    EXPECT_EQ(estimate("cpu", 0, 20, [](auto& o) { o.confidence = NAN; }), TL_INVALID);
    EXPECT_EQ(estimate("cpu", 0, 20, [](auto& o) { o.most_samples = 0; }), TL_INVALID);
    EXPECT_EQ(tl_estimate_pose("cpu", TL_POSE_RELATIVE, nullptr, 20, nullptr, &pose, nullptr),
              TL_INVALID);
    matches[7] = INFINITY;
    EXPECT_EQ(estimate("cpu", 0, 20, same), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("match 2"), std::string::npos);
}

TEST(ApiSparse, SolvesRowsInAnyOrderOfColumns) {
    // 4 x + y = 6, x + 3 y = 7 and the same with 5 and 4 at the right; x is in the second row
    // twice.
    const int starts[] = {0, 2, 5}, columns[] = {1, 0, 0, 1, 0};
    const double values[] = {1, 4, 0.25, 3, 0.75}, right[] = {6, 7, 5, 4};
    const tl_csr matrix{2, starts, columns, values};
    double x[4] = {};
    tl_sparse_report report{};
    for (const char* method : {"auto", "cg", "bicgstab"}) {
        auto options = tl_sparse_defaults();
        options.method = method;
        options.tolerance = 1e-12;
        ASSERT_EQ(tl_solve_sparse("cpu", &matrix, right, 2, &options, x, &report), TL_OK);
        EXPECT_EQ(report.converged, 1);
        EXPECT_LE(report.residual, 1.01e-12);
        const double expected[] = {1, 2, 1, 1};
        for (int i = 0; i < 4; ++i) EXPECT_NEAR(x[i], expected[i], 1e-11) << method << i;
    }
}

TEST(ApiSparse, WrongArgumentsAreRefused) {
    int starts[] = {0, 1, 2}, columns[] = {0, 1};
    double values[] = {1, 1}, right[] = {1, 1}, x[2] = {};
    const tl_csr matrix{2, starts, columns, values};
    auto solve = [&](const char* device, auto&& change) {
        auto options = tl_sparse_defaults();
        change(options);
        return tl_solve_sparse(device, &matrix, right, 1, &options, x, nullptr);
    };
    auto same = [](tl_sparse_options&) {};
    EXPECT_EQ(solve("cpu", same), TL_OK);
    EXPECT_EQ(solve("abacus", same), TL_UNKNOWN);
    EXPECT_EQ(solve(nullptr, same), TL_INVALID);
    EXPECT_EQ(solve("cpu", [](auto& o) { o.method = "guess"; }), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("bicgstab"), std::string::npos);
    EXPECT_EQ(solve("cpu", [](auto& o) { o.tolerance = -1; }), TL_INVALID);
    EXPECT_EQ(tl_solve_sparse("cpu", &matrix, right, 0, nullptr, x, nullptr), TL_INVALID);
    columns[1] = 2;
    EXPECT_EQ(solve("cpu", same), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("outside"), std::string::npos);
    columns[1] = 1;
    values[1] = NAN;
    EXPECT_EQ(solve("cpu", same), TL_INVALID);
    values[1] = 0;
    auto options = tl_sparse_defaults();
    options.preconditioner = "jacobi";
    EXPECT_EQ(tl_solve_sparse("cpu", &matrix, right, 1, &options, x, nullptr), TL_FAILED);
    EXPECT_NE(std::string(tl_last_error()).find("row 1"), std::string::npos);
}

}  // namespace tl::api_tests
