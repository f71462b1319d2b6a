// Menus, search, panel, notes and messages, driven by keys and clicks.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "app/panels/panels.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/files/preference_keeper.h"
#include "app/viewer/picture_notes.h"
#include "app/viewer/views/film_histogram.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"
#include "tests/viewer/wide_viewer.h"

namespace tl::interface_tests {
namespace {

class Interface : public WideViewer {};

TEST_F(Interface, EscClosesAnOpenMenuBeforeAllElse) {
    auto& model = start_wide();
    tap(Key::f1);
    ASSERT_TRUE(model.view.help_open);
    tap(Key::f10);
    tap(Key::escape);
    EXPECT_TRUE(model.view.help_open);
    tap(Key::escape);
    EXPECT_FALSE(model.view.help_open);
}

TEST_F(Interface, MenusWorkByKeysAlone) {
    auto& model = start_wide();
    tap(Key::f10);
    tap(Key::enter);
    EXPECT_TRUE(model.view.browser.open) << "the first entry is Open...";
    tap(Key::escape);
    EXPECT_FALSE(model.view.browser.open);
    // The viewer receives the space key again.
    tap(Key::space);
    EXPECT_TRUE(model.view.paused);
}

TEST_F(Interface, TheKeyboardMovesInThePanelUntilEsc) {
    auto& model = start_wide();
    tap(Key::f6);
    ASSERT_TRUE(model.view.panel.keyboard);
    tap(Key::down);
    tap(Key::space);
    EXPECT_FALSE(model.view.paused);
    EXPECT_TRUE(model.view.interface_visible);
    for (int i = 0; i < 3 && model.view.panel.keyboard; ++i) tap(Key::escape);
    EXPECT_FALSE(model.view.panel.keyboard);
    tap(Key::tab);
    EXPECT_FALSE(model.view.interface_visible);
}

TEST_F(Interface, ACommandThatIsNotAvailableSaysWhy) {
    auto& model = start_wide();
    context_->push(TextEvent{U'.'});
    steps(2);
    EXPECT_EQ(model.status.messages.current(), "nothing moves in this scene");
    for (auto& command : model.interface.commands)
        EXPECT_TRUE(!command.available || command.available(model) || !command.reason.empty())
            << command.title;
}

TEST(Search, FindsAllWordsInAnyOrderAndCase) {
    EXPECT_TRUE(matches_search("depth MAX", "whitted max-depth longest chain"));
    EXPECT_FALSE(matches_search("depth min", "whitted max-depth longest chain"));
    EXPECT_TRUE(matches_search("", "anything"));
}

TEST_F(Interface, ANumberTypedIntoASliderIsOneStepOfUndo) {
    auto& model = start_wide();
    auto exposure = [&] {
        auto sections = session_->settings().sections();
        return find_setting(find_section(sections, "film")->settings, "exposure", "film").text();
    };
    auto before = exposure();
    type("4");  // the tab Film, whose first widget sets the exposure
    auto control = Key::left_control;
    context_->push(KeyEvent{control, control, true, false, {.control = true}});
    click(vec2(static_cast<float>(model.view.layout.panel.x + 60), 118));
    context_->push(KeyEvent{control, control, false, false, {}});
    for (auto* letter : {"1", ".", "2", "5"}) type(letter);
    tap(Key::enter);
    ASSERT_EQ(exposure(), "1.25");
    undo(model);
    EXPECT_EQ(exposure(), before);
    EXPECT_EQ(model.document.history.undo_name(), nullptr);
}

TEST_F(Interface, ASearchShowsLiveSettingsAndEscEndsIt) {
    auto& model = start_wide();
    tap(Key::f, {.control = true});
    type("cast shadows");
    EXPECT_EQ(model.view.panel.search, "cast shadows");
    auto shadows = [&] {
        auto settings = session_->settings().renderer();
        return find_setting(settings, "shadows", "whitted").text();
    };
    ASSERT_EQ(shadows(), "true");
    auto x = static_cast<float>(model.view.layout.panel.x + 18);
    EXPECT_TRUE(click_down(x, 60, 200, [&] { return shadows() == "false"; }));
    tap(Key::escape);
    EXPECT_EQ(model.view.panel.search, "");
}

TEST_F(Interface, AdvancedSettingsAreFoldedAndFoundByTheSearch) {
    auto& model = start_wide();
    auto advanced_of = [&](const char* id) {
        auto settings = session_->settings().renderer();
        return find_setting(settings, id, "whitted")->advanced;
    };
    EXPECT_TRUE(advanced_of("smooth-terminator"));
    EXPECT_FALSE(advanced_of("max-depth"));
    auto smooth = [&] {
        auto settings = session_->settings().renderer();
        return find_setting(settings, "smooth-terminator", "whitted").text();
    };
    auto before = smooth();
    auto x = static_cast<float>(model.view.layout.panel.x + 18);
    tap(Key::f, {.control = true});
    type("smooth terminator");
    EXPECT_TRUE(click_down(x, 60, 200, [&] { return smooth() != before; }));
}

TEST_F(Interface, AWindowMayBeAsSmallAsAnything) {
    auto& model = start_wide();
    for (int tab = 0; tab < static_cast<int>(kPanelTabs.size()); ++tab) {
        open_tab(model, static_cast<PanelTab>(tab));
        for (int height : {1, 2, 17, 18, 19, 20, 23, 26, 30, 40, 47, 60, 73, 75, 90, 120})
            for (int width : {1, 20, 388, 409, 700}) {
                context_->resize({width, height});
                steps(2);
            }
    }
    model.view.help_open = model.view.log_open = true;
    browse(model, "");
    for (int height : {1, 20, 30, 75}) {
        context_->resize({409, height});
        steps(3);
    }
    EXPECT_TRUE(model.status.messages.dialog_title().empty());
}

TEST_F(Interface, ArrowsMoveFromMenuToMenu) {
    preferences_.recent_files = {"a.toml"};
    auto& model = start_wide();
    tap(Key::f10);
    for (int i = 0; i < 3; ++i) tap(Key::right);
    tap(Key::enter);
    EXPECT_TRUE(context_->clipboard().starts_with("--eye=")) << "Camera begins with Copy camera";
    tap(Key::f10);
    tap(Key::left);
    tap(Key::enter);
    EXPECT_TRUE(model.view.help_open) << "the last menu lies left of the first one";
    tap(Key::escape);
    // Within a menu, an arrow opens and closes its submenu.
    tap(Key::f10);
    for (auto key : {Key::down, Key::right, Key::left, Key::up, Key::enter}) tap(key);
    EXPECT_TRUE(model.view.browser.open);
}

TEST_F(Interface, QuitIsTheLastEntryOfItsMenu) {
    auto& commands = start_wide().interface.commands;
    auto quit = std::ranges::find(commands, std::string(kQuit), &ViewerCommand::title);
    ASSERT_NE(quit, commands.end());
    EXPECT_EQ(quit->menu, "File");
    EXPECT_NE(std::next(quit)->menu, "File");
}

TEST_F(Interface, CancelOfLongWorkIsNeverCutOff) {
    ViewerOptions options;
    options.frames_apart = true;
    auto& model = start_wide(options);
    bool cancelled = false;
    model.gate.edit({.apply = [] {},
                     .prepare =
                         [&gate = model.gate] {
                             while (gate.asked() != Cancellation::everything)
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         },
                     .title = "preparing " + std::string(300, 'x'),
                     .cancelled = [&] { cancelled = true; }});
    step_until([&] { return model.gate.can_cancel(); });
    auto& status = model.view.layout.status;
    for (int x = status.x; x < status.x + status.width && model.gate.can_cancel(); x += 20)
        click(vec2(static_cast<float>(x), static_cast<float>(status.y + status.height / 2)));
    step_until([&] { return cancelled; });
}

TEST_F(Interface, EnterClosesAnError) {
    auto& model = start_wide();
    model.status.messages.error("Cannot", "for a reason");
    steps(4);
    tap(Key::enter);
    EXPECT_EQ(model.status.messages.dialog_title(), "");
}

TEST_F(Interface, ArrowDownGoesFromTheSearchToWhatWasFound) {
    auto& model = start_wide();
    tap(Key::f, {.control = true});
    type("glass shadows");
    tap(Key::down);
    tap(Key::space);
    auto settings = model.session.settings().renderer();
    EXPECT_EQ(find_setting(settings, "glass-shadows", "whitted").text(), "false");
}

TEST_F(Interface, AShortcutOfAFieldMayBeQuickerThanAFrame) {
    auto& model = start_wide();
    tap(Key::f, {.control = true});
    type("depth");
    tap(Key::a, {.control = true});  // is released before the frame begins
    type("x");
    EXPECT_EQ(model.view.panel.search, "x");
}

TEST_F(Interface, ThePixelSeenLastStaysOnThePanel) {
    auto& model = start_wide();
    open_tab(model, PanelTab::film);
    context_->push(CursorEvent{vec2(200, 150)});
    steps(4);
    auto pixel = film_pixel_at(model, vec2(200, 150));
    step_until([&] { return model.view.pixel.at_cursor.x == pixel->x; });
    auto samples = model.view.pixel.at_cursor.samples;
    context_->push(CursorEvent{vec2(static_cast<float>(model.view.layout.panel.x + 50), 200)});
    step_until([&] { return model.view.pixel.at_cursor.samples > samples + 20; });
    EXPECT_EQ(model.view.pixel.at_cursor.x, pixel->x);
    EXPECT_EQ(model.view.pixel.at_cursor.y, pixel->y);
}

TEST_F(Interface, ThePanelsEdgeCanBeDragged) {
    auto& model = start_wide();
    auto x = static_cast<float>(model.view.layout.panel.x);
    int before = model.view.layout.panel.width;
    auto push = [&](const InputEvent& event) {
        context_->push(event);
        steps(2);
    };
    push(CursorEvent{vec2(x + 2, 200)});
    push(ButtonEvent{MouseButton::left, true, {}});
    push(CursorEvent{vec2(x - 98, 200)});
    push(ButtonEvent{MouseButton::left, false, {}});
    // The edge is where the cursor has let it go.
    EXPECT_EQ(model.view.layout.panel.width, before + 98);
    EXPECT_FLOAT_EQ(preferences_.panel_width, static_cast<float>(model.view.layout.panel.width));
}

TEST_F(Interface, CollapsedSectionsAreRemembered) {
    auto& model = start_wide();
    auto x = static_cast<float>(model.view.layout.panel.x + 60);
    auto& collapsed = preferences_.collapsed_sections;
    ASSERT_TRUE(click_down(x, 84, 140, [&] { return !collapsed.empty(); }));
    EXPECT_EQ(collapsed, std::vector<std::string>{"times"});
    auto& again = start_wide();
    EXPECT_EQ(collapsed, std::vector<std::string>{"times"});
    reveal_section(again, "times");
    step_until([&] { return again.view.panel.reveal_frames == 0; });
    EXPECT_TRUE(collapsed.empty());
}

TEST_F(Interface, AClickPinsThePixelThatThePanelShows) {
    auto& model = start_wide();
    open_tab(model, PanelTab::film);
    steps(4);
    vec2 place(200, 150), elsewhere(90, 260);
    click(place);
    ASSERT_TRUE(model.view.pixel.pinned);
    auto pixel = film_pixel_at(model, place);
    context_->push(CursorEvent{vec2(static_cast<float>(model.view.layout.panel.x + 50), 200)});
    step_until([&] { return model.view.pixel.at_cursor.x == pixel->x; });
    EXPECT_EQ(model.view.pixel.at_cursor.y, pixel->y);
    tap(Key::escape);
    EXPECT_FALSE(model.view.pixel.pinned);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));  // no double click
    click(elsewhere);
    ASSERT_TRUE(model.view.pixel.pinned);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    click(elsewhere);
    EXPECT_FALSE(model.view.pixel.pinned);
    drag(place, elsewhere);  // orbits
    EXPECT_FALSE(model.view.pixel.pinned);
}

TEST_F(Interface, NotesTellWhyAPictureLooksBroken) {
    auto& model = start_wide();
    EXPECT_TRUE(picture_notes(model).empty());
    model.view.boxes.level = kMaxTreeBoxLevel;
    toggle_boxes(model);
    step_until([&] { return !model.view.boxes.stale; });
    auto notes = picture_notes(model);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("level"), std::string::npos);
    model.status.closed_notes = notes;
    EXPECT_TRUE(picture_notes(model).empty());
    toggle_boxes(model);
    choose_renderer(model, "bezier");
    steps(4);
    notes = picture_notes(model);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("1 bounce "), std::string::npos);
    change_setting(model, "bezier", "max-depth", "5");
    change_setting(model, "bezier", "ambient", "0.1");
    steps(4);
    EXPECT_TRUE(picture_notes(model).empty());
}

TEST_F(Interface, TheFirstHintIsClosedForGood) {
    ViewerOptions options;
    options.first_hint = true;
    auto& model = start_wide(options);
    ASSERT_TRUE(model.view.first_hint);
    bool closed = false;
    for (float x = 30; x < 250 && !closed; x += 20)
        closed = click_down(x, 340, 399, [&] { return !model.view.first_hint; });
    EXPECT_TRUE(closed);
    EXPECT_TRUE(preferences_.knows_keys);
}

TEST_F(Interface, EscClosesTheFirstHintAfterAllElse) {
    ViewerOptions options;
    options.first_hint = true;
    auto& model = start_wide(options);
    select(model, {.material = 0});
    tap(Key::escape);
    EXPECT_TRUE(model.document.selection.empty());
    EXPECT_TRUE(model.view.first_hint);
    tap(Key::escape);
    EXPECT_FALSE(model.view.first_hint);
    EXPECT_TRUE(preferences_.knows_keys);
}

TEST_F(Interface, PreferencesAreWrittenWhileTheViewerIsOpen) {
    test::TempFolder folder;
    Remembered remembered;
    remembered.path = folder.path("viewer.json");
    auto& preferences = remembered.preferences;
    auto& model = start_wide();
    PreferenceKeeper keeper(remembered, model);
    auto kept = [&] {
        auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
        while (std::chrono::steady_clock::now() < end) {
            steps(1);
            keeper.keep();
        }
        return read_preferences(remembered.path).preferences;
    };
    preferences.knows_keys = true;
    model.view.boxes.level = 7;
    EXPECT_TRUE(kept().knows_keys);
    EXPECT_EQ(kept().box_level, 7);
    // Equal preferences are not written again.
    std::filesystem::remove(remembered.path);
    EXPECT_FALSE(kept().knows_keys);
    EXPECT_FALSE(std::filesystem::exists(remembered.path));
    keeper.write();
    EXPECT_TRUE(read_preferences(remembered.path).preferences.knows_keys);
}

TEST(MessageLog, KeepsTheNewestWithTimeAndSeverity) {
    Messages messages;
    messages.info("one");
    messages.info("one");
    messages.info("two");
    ASSERT_EQ(messages.log().size(), 2u);
    EXPECT_EQ(messages.log().front().count, 2);
    EXPECT_NE(messages.log_text().find("message: one (2 times)\n"), std::string::npos);
    for (std::size_t i = 0; i < 2 * Messages::kKept; ++i) messages.info(std::to_string(i));
    EXPECT_EQ(messages.log().size(), Messages::kKept);
    messages.clear_log();
    EXPECT_TRUE(messages.log().empty());
}

TEST(FilmHistogram, CountsWhatTheDisplayCannotShow) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    // The sums of two samples: black, no number, too bright, in between.
    std::vector<vec4> sums{vec4(0, 0, 0, 2), vec4(kNan, 0, 0, 2), vec4(6, 0.2f, 0.2f, 2),
                           vec4(1, 1, 1, 2)};
    FilmView film;
    film.radiance_sum = sums.data();
    film.extent = {2, 2};
    auto found = histogram_of(film, {});
    EXPECT_EQ(found.n_pixels, 4u);
    EXPECT_EQ(found.n_dark, 1u);
    EXPECT_EQ(found.n_bright, 1u);
    EXPECT_EQ(found.n_not_finite, 1u);
    auto half = static_cast<std::size_t>(FilmHistogram::bin_of(0.5f));
    EXPECT_EQ(found.counts[FilmHistogram::green][half], 1u);
    EXPECT_EQ(found.counts[FilmHistogram::red][0], 1u);
    auto alpha = [&](std::size_t i) { return int(found.marks.rgba[4 * i + 3]); };
    EXPECT_EQ(alpha(0), 255);
    EXPECT_EQ(alpha(1), 255);
    EXPECT_EQ(alpha(2), 255);
    EXPECT_EQ(alpha(3), 0);
    // Two stops down, nothing is too bright.
    EXPECT_EQ(histogram_of(film, {.exposure = -2}).n_bright, 0u);
}

TEST_F(Interface, TheHistogramFollowsThePicture) {
    auto& model = start_wide();
    open_tab(model, PanelTab::film);
    step_until([&] { return model.view.histogram.found != nullptr; });
    EXPECT_EQ(model.view.histogram.found->n_pixels, 500u * 400u);
    auto version = model.view.histogram.version;
    change_exposure(model, 8);
    step_until([&] { return model.view.histogram.version > version + 1; });
    EXPECT_GT(model.view.histogram.found->n_bright, 400u * 200u);
}

TEST(ReadProgress, ParsingIsToldAndMayBeEnded) {
    test::TempFolder folder;
    std::string places[2];  // as lines of OBJ, of the others
    for (int k = 0; k < 20000; ++k) {
        auto place = std::to_string(k % 141) + " " + std::to_string(k / 141) + " 0\n";
        places[0] += "v " + place;
        places[1] += place;
    }
    const std::string header =
        "ply\nformat ascii 1.0\nelement vertex 20000\nproperty float x\nproperty float y\n"
        "property float z\nend_header\n";
    test::GltfWriter gltf;
    (void)gltf.add("VEC3", std::vector<float>(60000, 0.5f));
    const std::pair<const char*, std::string> files[] = {
        {"a.obj", places[0] + "f 1 2 143\n"},
        {"b.ply", header + places[1]},
        {"c.xyz", places[1]},
        {"d.gltf", gltf.text("\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": "
                             "[{\"attributes\": {\"POSITION\": 0}}]}]")}};
    struct Ended {};
    for (auto& [name, text] : files) {
        SCOPED_TRACE(name);
        auto path = folder.write(name, text);
        std::vector<double> shares;
        auto parsed = [&](const char* what, double share) {
            if (std::string_view(what) == "parsing") shares.push_back(share);
        };
        (void)load_scene(path, "", false, {{.on_work = parsed}});
        ASSERT_GT(shares.size(), 100u);
        EXPECT_LT(shares.size(), 300u);
        EXPECT_TRUE(std::ranges::is_sorted(shares));
        EXPECT_EQ(shares.front(), 0);
        EXPECT_EQ(shares.back(), 1);
        auto end = [](const char*, double share) {
            if (share > 0.3) throw Ended();
        };
        EXPECT_THROW((void)load_scene(path, "", false, {{.on_work = end}}), Ended);
    }
}

TEST(ReadProgress, GoesFromNoneToAllOfAFile) {
    test::TempFolder folder;
    auto path = folder.write("big.txt", std::string(std::size_t{20} << 20, 'x'));
    std::vector<double> shares;
    auto add = [&](double share) { shares.push_back(share); };
    EXPECT_EQ(read_file(path, {{.on_read = add}}).size(), std::size_t{20} << 20);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GE(shares.size(), 4u);
    EXPECT_EQ(shares.front(), 0);
    EXPECT_EQ(shares.back(), 1);
    auto end = [](double share) {
        if (share > 0) throw UserError("enough");
    };
    EXPECT_THROW((void)read_file(path, {{.on_read = end}}), UserError);
}

}  // namespace
}  // namespace tl::interface_tests
