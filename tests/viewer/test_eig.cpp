// The eigenvalues' section of the panel: its actions, background runs and drawing.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "app/solve/eig/eig_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::eig_tests {
namespace {

class ViewerEig : public OffscreenViewer {
  protected:
    ViewerModel& begin() {
        auto& model = start().model();
        steps(3);
        eig_of(model).task.device = "cpu";
        eig_of(model).task.batch = {"random", 6, 500, 3};
        return model;
    }
    /// Runs frames until the run that the panel or a key has started has ended and is shown.
    const EigOutcome& outcome(ViewerModel& model) {
        step_until([&] { return !eig_of(model).active(); });
        return eig_of(model).history.back();
    }
};

TEST_F(ViewerEig, ARunTellsSweepsAccuracyAndTheEigenvaluesOfEachMatrix) {
    auto& model = begin();
    press(Key::i);
    step_until([&] { return !eig_of(model).history.empty(); });
    auto& o = outcome(model);
    ASSERT_EQ(o.error, "");
    EXPECT_EQ(model.view.panel.tab, PanelTab::solvers);
    EXPECT_EQ(o.mode, "simd");
    EXPECT_EQ(o.summary.count, 500u);
    EXPECT_EQ(o.summary.n_not_converged, 0u);
    EXPECT_GT(o.matrices_per_second(), 0);
    EXPECT_GT(o.summary.accuracy.n_vectors, 0u);
    EXPECT_LT(o.summary.accuracy.residual, 10);
    auto& histogram = o.summary.histogram;
    EXPECT_EQ(std::accumulate(histogram.begin(), histogram.end(), std::size_t{0}), 500u);
    ASSERT_EQ(o.n_kept(), 500u);
    // Sums of eigenvalues are off by ten units of ||A|| eps n at most (tests/solvers); n is 6, and
    // the norm of 36 elements in [-1, 1) at most 6.
    constexpr double kMostOff = 10 * 6 * 2.3e-16 * 6;
    for (std::size_t matrix : {0u, 7u, 499u}) {
        auto a = make_batch(o.batch, matrix, 1);
        double trace = 0, re = 0, im = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            trace += a[7 * i];
            re += o.values_of(matrix)[2 * i];
            im += o.values_of(matrix)[2 * i + 1];
        }
        EXPECT_NEAR(re, trace, kMostOff) << matrix;
        EXPECT_NEAR(im, 0, kMostOff) << matrix;
    }
}

TEST_F(ViewerEig, FramesGoOnMeanwhileAndItCanBeCancelled) {
    auto& model = begin();
    // Large enough that the run cannot end before it is cancelled.
    eig_of(model).task.batch = {"random", 32, 5'000'000, 0};
    auto samples = session_->samples();
    start_eig(model);
    EXPECT_TRUE(eig_of(model).job.busy());
    steps(4);
    EXPECT_GE(session_->samples(), samples + 4);
    start_eig(model);
    EXPECT_NE(model.status.messages.current().find("cancel it first"), std::string::npos);
    press(Key::i);
    step_until([&] { return !eig_of(model).job.busy(); });
    ASSERT_EQ(eig_of(model).history.size(), 1u);
    EXPECT_EQ(eig_of(model).history[0].error, "cancelled");
    // The next run is not cancelled.
    eig_of(model).task.batch = {"companion", 5, 100, 0};
    eig_of(model).task.single = true;
    start_eig(model);
    step_until([&] { return eig_of(model).history.size() == 2; });
    EXPECT_EQ(outcome(model).error, "");
    EXPECT_EQ(outcome(model).precision, "float");
}

TEST_F(ViewerEig, ErrorsAreInWordsAndTheHistoryIsCopied) {
    auto& model = begin();
    copy_csv(model, eig_of(model));
    EXPECT_NE(model.status.messages.current().find("no batch of eigenvalues"), std::string::npos);
    for (const char* mode : {"lanes", "scalar", "lapack"}) {
        eig_of(model).task.mode = mode;
        eig_of(model).task.pairs = EigenPairs::values;
        auto n = eig_of(model).history.size();
        start_eig(model);
        step_until([&] { return eig_of(model).history.size() > n; });
    }
    auto& history = eig_of(model).history;
    EXPECT_NE(history[0].error.find("lanes"), std::string::npos) << history[0].error;
    EXPECT_EQ(history[1].error, "");
    // The newest run alone keeps its eigenvalues.
    EXPECT_EQ(history[1].n_kept(), 0u);
    EXPECT_EQ(history[2].n_kept(), 500u);
    steps(4);
    copy_csv(model, eig_of(model));
    auto csv = context_->clipboard();
    ASSERT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
    EXPECT_NE(csv.find("\n6,500,random,3,scalar,cpu,double,values,"), std::string::npos) << csv;
    // Each row has as many fields as the first one; the error has commas within its quotes.
    auto n_fields = [](const std::string& line) {
        bool quoted = false;
        int n = 1;
        for (char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted) ++n;
        }
        return n;
    };
    std::istringstream lines(csv);
    std::string first, line;
    std::getline(lines, first);
    while (std::getline(lines, line)) EXPECT_EQ(n_fields(line), n_fields(first)) << line;
    copy_json(model, eig_of(model));
    auto json = nlohmann::json::parse(context_->clipboard());
    EXPECT_EQ(json.at("kind"), "eig-history");
    ASSERT_EQ(json.at("runs").size(), 3u);
    EXPECT_FALSE(json.at("runs")[0].at("error").get<std::string>().empty());
    EXPECT_EQ(json.at("runs")[1].at("accuracy").at("matrices"), 500);
    EXPECT_GT(json.at("runs")[2].at("matrices_per_second").get<double>(), 0);
}

}  // namespace
}  // namespace tl::eig_tests
