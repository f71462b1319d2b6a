// The side panel's tabs and sections, and the table of solvers that adds to them.
#include <algorithm>
#include <set>

#include "app/solve/solver_table.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::panel_tests {
namespace {

TEST(PanelSections, HaveIdsOfTheirOwnAndFillEveryTab) {
    auto interface = viewer_interface();
    std::set<std::string> ids;
    std::set<PanelTab> tabs;
    for (auto& section : interface.sections) {
        EXPECT_TRUE(ids.insert(section.id).second) << section.id;
        EXPECT_NE(section.title, "") << section.id;
        EXPECT_NE(section.draw, nullptr) << section.id;
        tabs.insert(section.tab);
    }
    EXPECT_EQ(tabs.size(), kPanelTabs.size());
    for (auto& tab : kPanelTabs) EXPECT_EQ(id_of(find_tab(tab.id).value()), tab.id);
    EXPECT_FALSE(find_tab("sofa"));
}

TEST(SolverTable, EveryFamilyHasItsCommandAndItsSection) {
    std::set<std::string> ids;
    for (auto& row : solver_rows()) {
        EXPECT_TRUE(row.add_solve || row.add_bench);
        if (!row.section) continue;
        EXPECT_TRUE(ids.insert(row.section->id).second) << row.section->id;
        EXPECT_EQ(row.section->tab, PanelTab::solvers);
    }
    EXPECT_TRUE(ids.contains("dense"));
    EXPECT_TRUE(ids.contains("queue"));
    const std::set<std::string> dense{"lu",    "rref", "solve", "inverse",
                                      "lstsq", "pinv", "matmul"};  // have one for all
    for (auto& family : solver_families())
        EXPECT_TRUE(ids.contains(family.id) || dense.contains(family.id)) << family.id;
}

class Panel : public OffscreenViewer {};

TEST_F(Panel, MemoryInUseIsUpToDateBesideSlowFramesAndAtRest) {
    ViewerOptions options;
    options.frames_apart = true;
    options.stop_at = 2;
    auto& model = start(options).model();
    auto& device = session_->device();
    auto up_to_date = [&] {
        // A frame takes and gives back scratch memory meanwhile.
        return model.gate.open() &&
               model.status.memory.bytes_in_use == device.memory_stats().bytes_in_use;
    };
    step_until([&] { return !model.accumulating() && up_to_date(); });
    steps(10);
    // A solver takes memory while the viewer is at rest.
    auto stream = device.create_stream();
    constexpr std::size_t kBytes = 3'000'000;
    auto before = model.status.memory.bytes_in_use;
    void* taken = device.allocate(kBytes, *stream);
    step_until([&] { return model.status.memory.bytes_in_use >= before + kBytes; });
    device.free(taken, kBytes, *stream);
    step_until([&] { return model.status.memory.bytes_in_use == before; });
}

TEST_F(Panel, NumbersOpenTabsAndShowAHiddenPanel) {
    auto& model = start().model();
    steps(4);
    EXPECT_EQ(model.view.panel.tab, PanelTab::render);
    for (std::size_t i = 0; i < kPanelTabs.size(); ++i) {
        context_->push(TextEvent{static_cast<char32_t>(U'1' + i)});
        steps(4);
        EXPECT_EQ(model.view.panel.tab, static_cast<PanelTab>(i));
        EXPECT_EQ(model.view.panel.drawn_tab, model.view.panel.tab);
        EXPECT_EQ(preferences_.panel_tab, kPanelTabs[i].id);
    }
    model.view.interface_visible = false;
    steps(2);
    context_->push(TextEvent{U'1'});
    steps(2);
    EXPECT_TRUE(model.view.interface_visible);
    EXPECT_EQ(model.view.panel.tab, PanelTab::scene);
}

TEST_F(Panel, AClickOpensATab) {
    context_->resize(window_for({64, 200}, 1, true));  // room for the tabs
    auto& model = start().model();
    steps(4);
    std::set<PanelTab> opened;
    auto& place = model.view.layout.panel;
    // Along the tabs, below the menu and the search.
    for (int x = 10; x < place.width; x += 20) {
        vec2 at(static_cast<float>(place.x + x), 66);
        drag(at, at);
        EXPECT_EQ(model.view.panel.drawn_tab, model.view.panel.tab);
        EXPECT_EQ(preferences_.panel_tab, id_of(model.view.panel.tab));
        opened.insert(model.view.panel.tab);
    }
    EXPECT_EQ(opened.size(), kPanelTabs.size());
}

TEST_F(Panel, OpensTheTabOfThePreferencesUnlessAFlagAsksForAnother) {
    preferences_.panel_tab = "film";
    EXPECT_EQ(start().model().view.panel.tab, PanelTab::film);
    ViewerOptions options;
    options.panel_tab = "trees";
    EXPECT_EQ(start(options).model().view.panel.tab, PanelTab::trees);
}

TEST_F(Panel, ASectionIsRevealedInItsTab) {
    auto& model = start().model();
    context_->resize(window_for({400, 400}, 1, true));  // room for a section
    steps(4);
    reveal_section(model, "pixel-rays");
    EXPECT_EQ(model.view.panel.tab, PanelTab::film);
    step_until([&] { return model.view.panel.reveal_frames == 0; });
    EXPECT_EQ(model.view.panel.drawn_tab, PanelTab::film);
    EXPECT_TRUE(model.view.pixel_tree.wanted);
    EXPECT_EQ(preferences_.panel_tab, "render");
    reveal_section(model, "no such section");
    EXPECT_EQ(model.view.panel.tab, PanelTab::film);
}

}  // namespace
}  // namespace tl::panel_tests
