// The SVD panel: its actions, background runs and drawing.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/solve/svd/svd_actions.h"
#include "app/solve/svd/svd_errors.h"
#include "solvers/dense/matrix_files.h"
#include "tests/long_test.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::svd_tests {
namespace {

class ViewerSvd : public OffscreenViewer {
  protected:
    ViewerModel& begin() {
        auto& model = start().model();
        svd_of(model).task.device = "cpu";
        steps(3);
        auto& spec = svd_of(model).task.input.spec;
        spec = {"geometric", 60, 40, 1e6, 1};
        return model;
    }
    /// Runs frames until no work is left.
    const SvdOutcome& outcome(ViewerModel& model) {
        step_until([&] { return !svd_of(model).active(); });
        return svd_of(model).history.back();
    }
};

TEST_F(ViewerSvd, ARunLeavesSpectrumAccuracyAndStages) {
    auto& model = begin();
    press(Key::v);
    step_until([&] { return !svd_of(model).history.empty(); });
    auto& o = outcome(model);
    ASSERT_EQ(o.error, "");
    ASSERT_EQ(o.values.size(), 40u);
    EXPECT_NEAR(o.values.front() / o.values.back(), 1e6, 1);
    EXPECT_EQ(o.mode, "divide-conquer");
    EXPECT_LT(o.accuracy.at("residual").get<double>(), 1e-13);
    EXPECT_LT(o.accuracy.at("value_error").get<double>(), 1e-13);
    auto parts = parts_of(o);
    EXPECT_GT(parts.bidiagonalise, 0);
    EXPECT_GT(parts.diagonalise, 0);
    EXPECT_LE(parts.bidiagonalise + parts.diagonalise, o.seconds * 1.5);
}

TEST_F(ViewerSvd, FramesGoOnMeanwhileAndItCanBeCancelled) {
    auto& model = begin();
    // Large enough that the run cannot end before it is cancelled.
    svd_of(model).task.input.spec = {"uniform", 3000, 3000, 1e3, 1};
    auto samples = session_->samples();
    start_svd(model);
    EXPECT_TRUE(svd_of(model).job.busy());
    steps(4);
    EXPECT_GE(session_->samples(), samples + 4);
    // A second start is refused with a message.
    start_svd(model);
    EXPECT_NE(model.status.messages.current().find("cancel it first"), std::string::npos);
    press(Key::v);
    step_until([&] { return !svd_of(model).job.busy(); });
    EXPECT_EQ(svd_of(model).history.back().error, "cancelled");
    EXPECT_EQ(svd_of(model).history.size(), 1u);
    // The next run is not cancelled.
    svd_of(model).task.input.spec = {"uniform", 30, 30, 1e3, 1};
    start_svd(model);
    step_until([&] { return svd_of(model).history.size() == 2; });
    EXPECT_EQ(outcome(model).error, "");
}

TEST_F(ViewerSvd, ALibrarysRunSaysThatItCannotBeStopped) {
    auto& model = begin();
    EXPECT_EQ(cancel_note(svd_of(model)), "");
    // A larger matrix where the machine stood still for so long that the run ended before it was
    // cancelled.
    for (int n = 700; n <= 2800; n *= 2) {
        svd_of(model).task.input.spec = {"uniform", n, n, 1e3, 1};
        svd_of(model).task.mode = "lapack-gesvd";
        start_svd(model);
        // Choices in the panel during a run apply to the next run.
        svd_of(model).task.mode = "auto";
        auto note = cancel_note(svd_of(model));
        press(Key::v);
        steps(1);
        auto message = model.status.messages.current();
        step_until([&] { return !svd_of(model).job.busy(); });
        if (svd_of(model).history.back().error.empty()) continue;
        EXPECT_TRUE(note.starts_with("lapack-gesvd is a library")) << note;
        EXPECT_NE(message.find("cannot be stopped earlier"), std::string::npos) << message;
        break;
    }
    EXPECT_EQ(svd_of(model).history.back().error, "cancelled");
    EXPECT_EQ(cancel_note(svd_of(model)), "");
    // Treelight's own modes stop at once, without a note.
    svd_of(model).task.input.spec = {"uniform", 3000, 3000, 1e3, 1};
    start_svd(model);
    EXPECT_EQ(cancel_note(svd_of(model)), "");
    svd_of(model).job.cancel();
    step_until([&] { return !svd_of(model).job.busy(); });
}

TEST_F(ViewerSvd, TheFrameRateIsTakenBeforeMeanwhileAndAfterwards) {
    TL_LONG_TEST();
    auto& model = begin();
    step_until([&] { return model.status.statistics.log().rate() > 0; });
    // Long enough for some frames, however fast they are.
    svd_of(model).task.input.spec = {"uniform", 500, 500, 1e3, 1};
    start_svd(model);
    step_until([&] { return !svd_of(model).history.empty(); });
    auto& o = svd_of(model).history.back();
    ASSERT_EQ(o.error, "");
    EXPECT_GT(o.rates.before, 0);
    EXPECT_GT(o.rates.during, 0);
    EXPECT_TRUE(svd_of(model).job.measuring());
    EXPECT_EQ(o.rates.after, 0);
    step_until([&] { return !svd_of(model).job.measuring(); });
    EXPECT_GT(o.rates.after, 0);
    auto text = summary_of(o);
    for (const char* part : {"svd: uniform", "500x500 double by divide-conquer on cpu", " before, ",
                             " during (", " after"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(history_csv(svd_of(model)).find("fps_before,fps_during,fps_after,error"),
              std::string::npos);
    // Without further frames there is no rate to report.
    start_svd(model);
    model.view.paused = true;
    step_until([&] { return svd_of(model).history.size() == 2; });
    steps(1);
    EXPECT_FALSE(svd_of(model).job.measuring());
    EXPECT_EQ(svd_of(model).history.back().rates.after, 0);
}

TEST_F(ViewerSvd, ClosesInTheMiddleOfARun) {
    auto& model = begin();
    svd_of(model).task.input.spec = {"uniform", 3000, 3000, 1e3, 1};
    start_svd(model);
    steps(2);
    press(Key::q, {.control = true});
    EXPECT_FALSE(viewer_->step());
}

TEST_F(ViewerSvd, TheFrameComesBackAtFullRank) {
    auto& model = begin();
    model.view.paused = true;
    auto luminance = luminance_of(*session_);
    ASSERT_EQ(luminance.rows, kPicture.height);
    ASSERT_EQ(luminance.cols, kPicture.width);
    press(Key::v, {.shift = true});
    step_until([&] { return !svd_of(model).history.empty(); });
    ASSERT_EQ(outcome(model).error, "");
    ASSERT_EQ(svd_of(model).most_rank(), kPicture.height);
    // The preview has the chosen rank, and is more accurate for a higher one.
    auto miss = [&] {
        double sum = 0;
        auto& shown = svd_of(model).picture.luminance;
        for (std::size_t i = 0; i < luminance.data.size(); ++i)
            sum += std::pow(double(shown.data[i] - luminance.data[i]), 2);
        return sum;
    };
    EXPECT_EQ(svd_of(model).picture.rank, 16);
    double energy = svd_of(model).picture.energy, missed = miss();
    double all = 0;
    for (float value : luminance.data) all += double(value) * double(value);
    EXPECT_NEAR(missed / all, 1 - energy, 1e-5);
    context_->push(TextEvent{U']'});
    step_until([&] { return svd_of(model).picture.rank == 32; });
    EXPECT_GT(svd_of(model).picture.energy, energy);
    EXPECT_LT(miss(), missed);
    show_rank(model, 1000);
    step_until([&] { return svd_of(model).picture.rank == kPicture.height; });
    EXPECT_LT(miss() / all, 1e-9);
    EXPECT_NEAR(svd_of(model).picture.energy, 1, 1e-12);
    // The panel shows the preview as grey pixels.
    steps(2);
    EXPECT_NE(svd_of(model).preview.texture, 0u);
    ASSERT_EQ(svd_of(model).preview.image.extent, kPicture);
    for (int i : {0, 500, 3000}) {
        auto at = static_cast<std::size_t>(i);
        float expected = luminance(i / kPicture.width, i % kPicture.width);
        EXPECT_NEAR(svd_of(model).preview.image.rgba[4 * at] / 255.0f, expected, 0.01f);
    }
    // After clearing, the section holds and shows nothing, not even a preview that was still in
    // progress.
    show_rank(model, 3);
    svd_of(model).forget();
    steps(5);
    EXPECT_EQ(svd_of(model).preview.texture, 0u);
    EXPECT_EQ(svd_of(model).picture.luminance.data.capacity(), 0u);
    EXPECT_EQ(svd_of(model).history.capacity(), 0u);
    EXPECT_FALSE(svd_of(model).active());
    EXPECT_EQ(svd_of(model).most_rank(), 0);
}

TEST_F(ViewerSvd, WithoutADecomposedFrameThereIsNoRankToChange) {
    auto& model = begin();
    int rank = svd_of(model).rank;
    for (char32_t key : {U'[', U']'}) {
        context_->push(TextEvent{key});
        steps(1);
        EXPECT_EQ(model.status.messages.current(), "no frame has been decomposed yet");
        EXPECT_EQ(svd_of(model).rank, rank);
    }
}

TEST_F(ViewerSvd, FormFactorsOfTheSceneHaveFewValues) {
    auto& model = begin();
    svd_of(model).task.form_factors = {64, 8, 1.5f, {}, 0};
    press(Key::g);
    step_until([&] { return !svd_of(model).history.empty(); });
    auto& o = outcome(model);
    ASSERT_EQ(o.error, "");
    ASSERT_EQ(o.values.size(), 64u);
    EXPECT_GT(o.values[0], 0);
    EXPECT_LT(o.values[32], 0.05 * o.values[0]);
    EXPECT_TRUE(o.what.starts_with("form factors, clusters")) << o.what;
}

TEST_F(ViewerSvd, FilesMayHoldComplexMatrices) {
    test::TempFolder folder;
    // Both columns have the length 5, and are orthogonal: both values are 5.
    const Complex<double> elements[] = {{3, 0}, {0, 4}, {0, 4}, {3, 0}};
    auto path = folder.path("a.npy");
    write_npy<Complex<double>>(path, 2, 2, elements);
    auto& model = begin();
    svd_of(model).task.source = SvdSource::file;
    svd_of(model).task.input.file = path;
    start_svd(model);
    step_until([&] { return !svd_of(model).history.empty(); });
    auto& o = outcome(model);
    ASSERT_EQ(o.error, "");
    EXPECT_EQ(o.precision, "complex double");
    ASSERT_EQ(o.values.size(), 2u);
    for (double value : o.values) EXPECT_NEAR(value, 5, 1e-14);
    EXPECT_LT(o.accuracy.at("residual").get<double>(), 1e-14);
}

TEST_F(ViewerSvd, ErrorsAreInWords) {
    auto& model = begin();
    auto error_of = [&](auto change) {
        svd_of(model).task = {};
        svd_of(model).task.device = "cpu";
        change(svd_of(model).task);
        auto n = svd_of(model).history.size();
        start_svd(model);
        step_until([&] { return svd_of(model).history.size() > n; });
        return svd_of(model).history.back().error;
    };
    auto memory =
        error_of([](SvdTask& task) { task.input.spec.rows = task.input.spec.cols = 1 << 20; });
    EXPECT_NE(memory.find("MB are free"), std::string::npos) << memory;
    auto rank = error_of([](SvdTask& task) { task.rank = 9999; });
    EXPECT_NE(rank.find("rank 9999"), std::string::npos) << rank;
    auto file = error_of([](SvdTask& task) {
        task.source = SvdSource::file;
        task.input.file = "nowhere.npy";
    });
    EXPECT_NE(file.find("nowhere.npy"), std::string::npos) << file;
    // The viewer goes on.
    auto samples = session_->samples();
    steps(2);
    EXPECT_GT(session_->samples(), samples);
}

TEST_F(ViewerSvd, TheHistoryIsCopiedAsCsvAndJson) {
    auto& model = begin();
    press(Key::k);
    steps(1);
    EXPECT_NE(model.status.messages.current().find("no decomposition"), std::string::npos);
    for (const char* mode : {"golub-reinsch", "lapack-gesdd"}) {
        svd_of(model).task.mode = mode;
        auto n = svd_of(model).history.size();
        start_svd(model);
        step_until([&] { return svd_of(model).history.size() > n; });
    }
    press(Key::k);
    steps(1);
    auto csv = context_->clipboard();
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
    EXPECT_TRUE(csv.starts_with("rows,cols,mode,device,precision,svd_s,bidiagonalisation_s,"));
    EXPECT_NE(csv.find("\n60,40,golub-reinsch,cpu,double,"), std::string::npos) << csv;
    press(Key::k, {.shift = true});
    steps(1);
    auto json = nlohmann::json::parse(context_->clipboard());
    ASSERT_EQ(json.at("runs").size(), 2u);
    EXPECT_EQ(json.at("runs")[1].at("mode"), "lapack-gesdd");
    EXPECT_EQ(json.at("runs")[0].at("values").size(), 40u);
    EXPECT_GT(json.at("runs")[0].at("seconds").get<double>(), 0);
}

TEST_F(ViewerSvd, TheLastFrameWaitsForWhatTheCommandLineAsksFor) {
    ViewerOptions options;
    options.frames = 2;
    for (auto& state : interface_.states)
        if (auto* view = dynamic_cast<SvdView*>(state.get()))
            view->flags = {"clustered", "auto", 50};
    for (auto& state : interface_.states) state->apply_flags("cpu");
    auto& model = start(options).model();
    viewer_->run();
    ASSERT_EQ(svd_of(model).history.size(), 1u);
    EXPECT_EQ(svd_of(model).history[0].error, "");
    EXPECT_EQ(svd_of(model).history[0].values.size(), 50u);
    // The run began when a frame rate was known for comparison.
    EXPECT_GT(svd_of(model).history[0].rates.before, 0);
    EXPECT_GE(viewer_->frames(), 3u);
}

TEST_F(ViewerSvd, ErrorsOfEachValueAreMeasuredAndCopied) {
    auto& model = begin();
    auto& view = svd_of(model);
    view.n_matrices = 3;
    toggle_svd_errors(model);
    EXPECT_TRUE(view.active());
    step_until([&] { return !view.active(); });
    auto& errors = view.errors;
    ASSERT_EQ(errors.values.size(), 40u);
    EXPECT_EQ(errors.n_matrices, 3);
    EXPECT_EQ(errors.modes.size(), modes_with_errors(find_device("cpu"), 0).size());
    for (std::size_t kind = 0; kind < value_error_kinds().size(); ++kind) {
        view.error_kind = static_cast<int>(kind);
        steps(3);  // the plot is drawn
    }
    copy_svd_errors_csv(model);
    auto csv = context_->clipboard();
    EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 40 * static_cast<long>(errors.modes.size()));
    copy_svd_errors_json(model);
    auto json = nlohmann::json::parse(context_->clipboard());
    EXPECT_EQ(json.at("runs").at(0).at("matrices"), 3);
    view.forget();
    EXPECT_TRUE(view.errors.values.empty());
}

TEST(SvdSettings, OfAModeThatDoesNotRunAreRefused) {
    std::map<std::string, std::string> given{{"divide-conquer.block", "16"}};
    check_svd_settings(given, {"golub-reinsch", "divide-conquer"}, "--modes");
    try {
        check_svd_settings(given, {"auto"}, "--mode");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "--divide-conquer-block has no effect with --mode auto: add "
                     "--mode divide-conquer");
    }
}

TEST(SvdOutcome, NamesTheConditionOfKindsThatHaveOne) {
    SvdTask task;
    EXPECT_EQ(expected_outcome(task).what, "uniform");
    task.input.spec.kind = "geometric";
    EXPECT_EQ(expected_outcome(task).what, "geometric, condition 1e+03");
}

TEST(SvdViewFlags, RefuseWhatIsNotKnown) {
    EXPECT_THROW((void)task_of({"nonsense"}, "cpu"), UsageError);
    EXPECT_THROW((void)task_of({"frame", "nonsense"}, "cpu"), UsageError);
    EXPECT_EQ(task_of({"a.npy"}, "cpu").source, SvdSource::file);
    SvdViewFlags flags;
    flags.background.gpu_share = 0.5f;
    EXPECT_EQ(task_of(flags, "cpu").background.gpu_share, 0.5f);
    SvdView view;
    view.apply_flags("cpu");
    EXPECT_FALSE(view.awaited());
    view.flags.source = "frame";
    view.apply_flags("cpu");
    EXPECT_TRUE(view.awaited());
}

}  // namespace
}  // namespace tl::svd_tests
