// Section of dense algebra: every problem runs in the background on every kind of matrix, and shows
// the accuracy of its result.
#include <nlohmann/json.hpp>

#include "app/solve/dense/dense_row.h"
#include "app/solve/dense/dense_view.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/matrix_kinds.h"
#include "tests/long_test.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::dense_panel_tests {
namespace {

class ViewerDense : public OffscreenViewer {
  protected:
    void SetUp() override {
        OffscreenViewer::SetUp();
        if (IsSkipped()) return;
        context_->resize(window_for({260, 420}, 1, true));  // room for the results
        model_ = &start().model();
        steps(3);
        view().task.device = "cpu";
    }
    DenseView& view() { return dense_of(*model_); }
    /// Solves the panel's problem, by its key.
    const DenseOutcome& solve(DenseProblem problem, const std::string& kind, int rows, int cols,
                              const std::string& mode = "", double condition = 100) {
        auto& dense = view().task.dense;
        dense.problem = problem;
        dense.input.spec = {kind, rows, cols, condition, 3};
        dense.mode = mode;
        auto n_before = view().history.size();
        press(Key::i, Modifiers{.shift = true});
        step_until([&] { return view().history.size() > n_before && !view().active(); });
        steps(2);
        return view().history.back();
    }
    static double accuracy(const DenseOutcome& o, const char* name) {
        return o.error.empty() ? o.report.at("accuracy").at(name).get<double>() : HUGE_VAL;
    }

    ViewerModel* model_ = nullptr;
};

TEST_F(ViewerDense, EveryKindOfMatrixIsFactorisedReducedAndMultiplied) {
    TL_LONG_TEST();
    constexpr std::pair<int, int> kSizes[] = {{40, 40}, {33, 50}, {50, 33}, {1, 1}, {200, 200}};
    for (std::size_t k = 0; k < matrix_kinds().size(); ++k) {
        auto& kind = matrix_kinds()[k].id;
        auto [rows, cols] = kSizes[k % std::size(kSizes)];
        SCOPED_TRACE(kind + " " + std::to_string(rows) + "x" + std::to_string(cols));
        // In units of n eps ||A||, of ||A||, and of a rounding of each product.
        EXPECT_LE(accuracy(solve(DenseProblem::lu, kind, rows, cols), "residual"), 1);
        EXPECT_LE(accuracy(solve(DenseProblem::rref, kind, rows, cols), "residual"), 1e-8);
        EXPECT_LE(accuracy(solve(DenseProblem::matmul, kind, rows, cols), "error"), 3);
    }
    EXPECT_EQ(model_->view.panel.tab, PanelTab::solvers);
}

TEST_F(ViewerDense, SystemsAndInversesHaveSmallResiduals) {
    TL_LONG_TEST();
    for (const char* kind : {"geometric", "toeplitz"})
        for (int n : {1, 90}) {
            SCOPED_TRACE(std::string(kind) + " " + std::to_string(n));
            for (const char* mode : {"lu", "refined"})
                EXPECT_LE(accuracy(solve(DenseProblem::solve, kind, n, n, mode), "backward_error"),
                          1e-14);
            EXPECT_LE(accuracy(solve(DenseProblem::inverse, kind, n, n), "residual"), 1);
        }
    auto& o = view().history.back();
    EXPECT_EQ(o.rows, 90);
    EXPECT_GE(o.report.at("results").at("condition").get<double>(), 1);
}

TEST_F(ViewerDense, FilesMayHoldComplexMatrices) {
    test::TempFolder folder;
    // The determinant is (1 + i) (2 - i) - 3 i = 3 - 2 i.
    const Complex<double> elements[] = {{1, 1}, {0, 1}, {3, 0}, {2, -1}};
    auto path = folder.path("a.npy");
    write_npy<Complex<double>>(path, 2, 2, elements);
    view().task.dense.input.file = path;
    auto& factors = solve(DenseProblem::lu, "uniform", 1, 1);
    EXPECT_LE(accuracy(factors, "residual"), 1) << factors.error;
    auto& determinant = factors.report.at("results").at("determinant");
    double power = std::ldexp(1.0, determinant.at("exponent").get<int>());
    EXPECT_NEAR(determinant.at("mantissa").get<double>() * power, 3, 1e-14);
    EXPECT_NEAR(determinant.at("imaginary_mantissa").get<double>() * power, -2, 1e-14);
    EXPECT_LE(accuracy(solve(DenseProblem::solve, "uniform", 1, 1), "backward_error"), 1e-15);
    EXPECT_NE(solve(DenseProblem::rref, "uniform", 1, 1).error.find("the numbers are complex"),
              std::string::npos);
}

TEST_F(ViewerDense, WhatCannotBeSolvedSaysWhy) {
    TL_EXPECT_CONTAINS(solve(DenseProblem::inverse, "zero", 8, 8).error, "singular");
    TL_EXPECT_CONTAINS(solve(DenseProblem::inverse, "uniform", 8, 9).error, "8x9");
    TL_EXPECT_CONTAINS(solve(DenseProblem::solve, "rank-deficient", 8, 9).error, "8x9");
    TL_EXPECT_CONTAINS(model_->status.messages.current(), "not solved");
    // The condition number leaves floats no correct digits.
    auto& o = solve(DenseProblem::solve, "geometric", 60, 60, "refined", 1e12);
    ASSERT_EQ(o.error, "");
    TL_EXPECT_CONTAINS(o.report.at("results").at("note").get<std::string>(), "solved in double");
    EXPECT_LE(accuracy(o, "backward_error"), 1e-14);
    auto csv = history_csv(view());
    TL_EXPECT_CONTAINS(csv, "\ninverse,8,8,");
    EXPECT_EQ(nlohmann::json::parse(history_json(view())).at("runs").size(), view().history.size());
}

TEST_F(ViewerDense, FramesGoOnMeanwhileAndItCanBeCancelled) {
    auto& dense = view().task.dense;
    dense.problem = DenseProblem::lu;
    dense.input.spec = {"uniform", 3000, 3000, 1, 3};
    press(Key::i, Modifiers{.shift = true});
    step_until([&] { return view().job.busy(); });
    auto samples = session_->samples();
    steps(4);
    EXPECT_GE(session_->samples(), samples + 4);
    toggle_dense(*model_);
    step_until([&] { return !view().job.busy(); });
    ASSERT_EQ(view().history.size(), 1u);
    EXPECT_EQ(view().history[0].error, "cancelled");
}

}  // namespace
}  // namespace tl::dense_panel_tests
