// Section of sparse systems: systems are solved in the background while frames go on.
#include <nlohmann/json.hpp>

#include "app/solve/sparse/sparse_view.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::sparse_panel_tests {
namespace {

class ViewerSparse : public OffscreenViewer {
  protected:
    void SetUp() override {
        OffscreenViewer::SetUp();
        if (IsSkipped()) return;
        context_->resize(window_for({260, 420}, 1, true));  // room for the results
        model_ = &start().model();
        steps(3);
        view().task.device = "cpu";
    }
    SparseView& view() { return sparse_of(*model_); }
    void press_key() { press(Key::m, Modifiers{.control = true}); }
    /// Solves the panel's system, by its key.
    const SparseOutcome& solve() {
        auto n_before = view().history.size();
        press_key();
        step_until([&] { return view().history.size() > n_before && !view().active(); });
        steps(2);
        return view().history.back();
    }

    ViewerModel* model_ = nullptr;
};

TEST_F(ViewerSparse, SystemsOfTheKnownSolutionAreSolvedByEveryPreconditioner) {
    auto& system = view().task.system;
    system.spec = {"poisson2d", 900, 0};
    system.known_solution = true;
    for (const char* preconditioner : {"none", "jacobi", "ilu0", "amg"})
        for (bool single : {false, true}) {
            SCOPED_TRACE(preconditioner);
            system.settings["sparse.preconditioner"] = preconditioner;
            view().task.single = single;
            auto& o = solve();
            ASSERT_EQ(o.error, "");
            EXPECT_EQ(o.report.at("preconditioner"), preconditioner);
            EXPECT_EQ(o.report.at("rows"), 900);
            // The condition number of this grid is 390; tolerances are 1e-8 and 1e-5.
            EXPECT_LE(o.report.at("accuracy").at("largest_error").get<double>(),
                      single ? 390 * 1e-5 : 390 * 1e-8);
        }
    EXPECT_EQ(model_->view.panel.tab, PanelTab::solvers);
    auto csv = history_csv(view());
    TL_EXPECT_CONTAINS(csv, "\n\"poisson2d\",cpu,double,900,");
    auto runs = nlohmann::json::parse(history_json(view())).at("runs");
    EXPECT_EQ(runs.size(), 8u);
    EXPECT_EQ(runs[0].at("method"), "cg");
}

TEST_F(ViewerSparse, WhatCannotBeSolvedSaysWhy) {
    view().task.system.file = "nowhere.mtx";
    TL_EXPECT_CONTAINS(solve().error, "nowhere.mtx");
    TL_EXPECT_CONTAINS(model_->status.messages.current(), "not solved");
    view().task.system.file.clear();
    view().task.system.settings = {{"sparse.preconditioner", "none"},
                                   {"sparse.most-iterations", "3"}};
    auto& o = solve();
    TL_EXPECT_CONTAINS(o.error, "3 iterations");
    EXPECT_EQ(o.report.at("results").at("converged"), false);
}

TEST_F(ViewerSparse, FramesGoOnMeanwhileAndItCanBeCancelled) {
    view().task.system.spec.rows = 1'000'000;
    view().task.system.settings["sparse.preconditioner"] = "none";
    press_key();
    step_until([&] { return view().job.busy() && view().job.progress() > 0; });
    auto samples = session_->samples();
    steps(4);
    EXPECT_GE(session_->samples(), samples + 4);
    press_key();
    step_until([&] { return !view().job.busy(); });
    ASSERT_EQ(view().history.size(), 1u);
    EXPECT_EQ(view().history[0].error, "cancelled");
}

}  // namespace
}  // namespace tl::sparse_panel_tests
