// The queue's section of the panel: its run, its timeline and its history.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/solve/queue/queue_row.h"
#include "app/solve/queue/queue_view.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::queue_panel_tests {
namespace {

class ViewerQueue : public OffscreenViewer {
  protected:
    ViewerModel& begin(const QueueWork& work) {
        auto& model = start().model();
        steps(3);
        queue_of(model).task.device = "cpu";
        queue_of(model).task.work = work;
        press(Key::m, Modifiers{.shift = true});
        step_until([&] { return queue_of(model).job.busy() || !queue_of(model).history.empty(); });
        return model;
    }
};

TEST_F(ViewerQueue, ARunShowsItsLanes) {
    auto& model = begin({"svd", 20, 6, false, 0});
    EXPECT_EQ(model.view.panel.tab, PanelTab::solvers);
    step_until([&] { return !queue_of(model).active(); });
    auto& o = queue_of(model).history.back();
    ASSERT_EQ(o.error, "");
    EXPECT_GT(o.taken, 0);
    // An upload, a decomposition and three reads for each task.
    EXPECT_EQ(o.spans.size(), 6u * 5);
    EXPECT_GT(o.overlap.busy[static_cast<int>(LaneKind::compute)], 0);
    steps(4);
    copy_csv(model, queue_of(model));
    EXPECT_NE(context_->clipboard().find("\nsvd,20,6,double,cpu,yes,"), std::string::npos)
        << context_->clipboard();
    copy_json(model, queue_of(model));
    auto json = nlohmann::json::parse(context_->clipboard());
    EXPECT_EQ(json.at("kind"), "queue-history");
    EXPECT_EQ(json.at("runs")[0].at("timeline").size(), 30u);
}

TEST_F(ViewerQueue, FramesGoOnMeanwhileAndItCanBeCancelled) {
    // Takes longer than the test.
    auto& model = begin({"lu", 500, 1000, false, 0});
    auto samples = session_->samples();
    steps(4);
    EXPECT_GE(session_->samples(), samples + 4);
    step_until([&] { return !queue_of(model).live->spans().empty(); });
    toggle_queue(model);
    step_until([&] { return !queue_of(model).job.busy(); });
    ASSERT_EQ(queue_of(model).history.size(), 1u);
    EXPECT_EQ(queue_of(model).history[0].error, "cancelled");
    EXPECT_TRUE(queue_of(model).live->spans().empty());
}

}  // namespace
}  // namespace tl::queue_panel_tests
