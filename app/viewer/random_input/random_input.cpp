#include "app/viewer/random_input/random_input.h"

#include <algorithm>
#include <utility>

#include "app/jobs/format.h"

namespace tl {
namespace {

constexpr Key kAnyKey[] = {
    Key::space, Key::a,      Key::b,     Key::c,   Key::d,         Key::e,           Key::f,
    Key::g,     Key::h,      Key::k,     Key::n,   Key::o,         Key::p,           Key::q,
    Key::r,     Key::s,      Key::t,     Key::v,   Key::w,         Key::x,           Key::y,
    Key::z,     Key::escape, Key::enter, Key::tab, Key::backspace, Key::insert,      Key::del,
    Key::right, Key::left,   Key::down,  Key::up,  Key::page_up,   Key::page_down,   Key::home,
    Key::end,   Key::f1,     Key::f2,    Key::f5,  Key::f11,       Key::keypad_enter};
constexpr Key kFlyKeys[] = {Key::w, Key::a, Key::s, Key::d, Key::q, Key::e};
constexpr const char* kTexts[] = {
    "0", "1", "7",    "-3",           "0.5", "1e9",    "nan", "path",  "whitted", "../..",
    "/", "~", "%s%n", "\xE2\x82\xAC", " ",   "-1e-30", "=",   "a b c", "1,2,3",   "999999999999"};
constexpr const char* kGenerated[] = {"generate:", "generate:none", "generate:soup,count=-1",
                                      "generate:soup,count=2000", "generate:sphere-flake,depth=3"};

std::string place_text(vec2 at) {
    return formatted("%.0f,%.0f", double(at.x), double(at.y));
}

std::string key_text(Key key, Modifiers m) {
    int code = static_cast<int>(key);
    std::string name = code >= 32 && code < 127 ? std::string{static_cast<char>(code)}
                                                : "key " + std::to_string(code);
    return std::string(m.control ? "Ctrl+" : "") + (m.shift ? "Shift+" : "") +
           (m.alt ? "Alt+" : "") + name;
}

/// Code points of UTF-8 text that is known to be well formed.
std::u32string code_points(const std::string& text) {
    std::u32string points;
    for (unsigned char byte : text) {
        if ((byte & 0xC0) != 0x80)
            points += byte < 0x80 ? byte : byte & (byte < 0xE0 ? 0x1F : byte < 0xF0 ? 0x0F : 0x07);
        else if (!points.empty())
            points.back() = points.back() << 6 | (byte & 0x3F);
    }
    return points;
}

}  // namespace

RandomInput::RandomInput(std::uint64_t seed, const std::vector<ViewerCommand>& commands,
                         std::vector<std::string> files)
    : random_(seed), files_(std::move(files)) {
    for (auto& command : commands)
        bindings_.insert(bindings_.end(), command.bindings.begin(), command.bindings.end());
}

RandomInput::Turn RandomInput::next(Extent window, float scale) {
    window_ = window;
    scale_ = scale;
    layout_ = layout_of(window, scale, true);
    static constexpr std::pair<int, Action> kActions[] = {{20, &RandomInput::use_command},
                                                          {8, &RandomInput::press_any_key},
                                                          {5, &RandomInput::fly},
                                                          {6, &RandomInput::click_picture},
                                                          {2, &RandomInput::click_twice},
                                                          {10, &RandomInput::drag_picture},
                                                          {6, &RandomInput::turn_wheel},
                                                          {14, &RandomInput::click_panel},
                                                          {8, &RandomInput::drag_panel},
                                                          {5, &RandomInput::wheel_panel},
                                                          {5, &RandomInput::enter_value},
                                                          {7, &RandomInput::use_menu},
                                                          {4, &RandomInput::click_anywhere},
                                                          {3, &RandomInput::type_text},
                                                          {2, &RandomInput::open_path},
                                                          {2, &RandomInput::drop_files},
                                                          {8, &RandomInput::close_dialogs},
                                                          {2, &RandomInput::resize_window},
                                                          {1, &RandomInput::lose_focus},
                                                          {4, &RandomInput::rest}};
    int sum = 0;
    for (auto& [weight, action] : kActions) sum += weight;
    while (planned_.empty()) {
        int left = below(sum);
        for (auto& [weight, action] : kActions) {
            left -= weight;
            if (left >= 0) continue;
            (this->*action)();
            break;
        }
    }
    auto turn = std::move(planned_.front());
    planned_.pop_front();
    return turn;
}

// Own distribution, since those of the standard library differ between implementations.
int RandomInput::below(int count) {
    return count > 0 ? static_cast<int>(random_() % static_cast<std::uint64_t>(count)) : 0;
}

vec2 RandomInput::within(const Rect& place) {
    return vec2(place.x + below(place.width), place.y + below(place.height));
}

Modifiers RandomInput::random_modifiers() {
    return {.shift = chance(25), .control = chance(20), .alt = chance(5)};
}

std::string RandomInput::random_text() {
    if (!files_.empty() && chance(20))
        return files_[static_cast<std::size_t>(below(int(files_.size())))];
    if (chance(10)) return kGenerated[below(int(std::size(kGenerated)))];
    return kTexts[below(int(std::size(kTexts)))];
}

void RandomInput::add(std::string what, std::vector<InputEvent> events) {
    planned_.push_back({.what = std::move(what), .events = std::move(events)});
}

void RandomInput::press(Key key, Modifiers modifiers) {
    std::vector<InputEvent> events{KeyEvent{key, key, true, false, modifiers}};
    if (chance(5)) events.emplace_back(KeyEvent{key, key, true, true, modifiers});
    events.emplace_back(KeyEvent{key, key, false, false, modifiers});
    // The release of a control key is an event, too.
    if (modifiers.control)
        events.emplace_back(KeyEvent{Key::left_control, Key::left_control, false, false, {}});
    add(key_text(key, modifiers), std::move(events));
}

void RandomInput::type(const std::string& text) {
    std::vector<InputEvent> events;
    for (auto character : code_points(text)) events.emplace_back(TextEvent{character});
    add("text '" + text + "'", std::move(events));
}

void RandomInput::click(vec2 at, Modifiers modifiers) {
    add("cursor to " + place_text(at), {CursorEvent{at}});
    add("press at " + place_text(at), {ButtonEvent{MouseButton::left, true, modifiers}});
    add("release", {ButtonEvent{MouseButton::left, false, modifiers}});
}

void RandomInput::drag(const Rect& place, MouseButton button, Modifiers modifiers) {
    vec2 from = within(place);
    add("cursor to " + place_text(from), {CursorEvent{from}});
    add("press button " + std::to_string(int(button)) + " at " + place_text(from),
        {ButtonEvent{button, true, modifiers}});
    vec2 way = (within(place) - from) / 8.0f;
    for (int i = 1, count = 1 + below(12); i <= count; ++i) {
        vec2 at = from + way * static_cast<float>(i);
        add("drag to " + place_text(at), {CursorEvent{at}});
    }
    add("release", {ButtonEvent{button, false, modifiers}});
}

void RandomInput::use_command() {
    auto& binding = bindings_[static_cast<std::size_t>(below(int(bindings_.size())))];
    if (binding.character)
        type(std::string{binding.character});
    else
        press(binding.key, binding.modifiers);
}

void RandomInput::press_any_key() {
    press(kAnyKey[below(int(std::size(kAnyKey)))], random_modifiers());
}

void RandomInput::fly() {
    Key key = kFlyKeys[below(int(std::size(kFlyKeys)))];
    Modifiers modifiers{.shift = chance(30)};
    add("hold " + key_text(key, modifiers), {KeyEvent{key, key, true, false, modifiers}});
    for (int i = 0, count = below(20); i < count; ++i)
        add("flying", {KeyEvent{key, key, true, true, modifiers}});
    // Sometimes the release is lost, as when another window takes the keyboard.
    if (chance(90)) add("let go", {KeyEvent{key, key, false, false, {}}});
}

void RandomInput::click_picture() {
    click(within(layout_.picture), random_modifiers());
}

void RandomInput::click_twice() {
    vec2 at = within(layout_.picture);
    click(at);
    click(at);
}

void RandomInput::drag_picture() {
    drag(layout_.picture, static_cast<MouseButton>(below(3)), random_modifiers());
}

void RandomInput::turn_wheel() {
    vec2 at = within(layout_.picture);
    auto notches = static_cast<float>(below(9) - 4);
    add("cursor to " + place_text(at), {CursorEvent{at}});
    add(formatted("wheel by %.0f", double(notches)), {ScrollEvent{vec2(0, notches)}});
}

void RandomInput::click_panel() {
    click(within(layout_.panel), chance(10) ? random_modifiers() : Modifiers{});
}

void RandomInput::drag_panel() {
    drag(layout_.panel, MouseButton::left, {});
}

void RandomInput::wheel_panel() {
    vec2 at = within(layout_.panel);
    add("cursor to " + place_text(at), {CursorEvent{at}});
    auto notches = static_cast<float>(below(21) - 14);
    add(formatted("wheel by %.0f in the panel", double(notches)), {ScrollEvent{vec2(0, notches)}});
}

/// Turns a slider into a text field, and enters something.
void RandomInput::enter_value() {
    click(within(layout_.panel), {.control = true});
    type(random_text());
    press(chance(80) ? Key::enter : Key::escape, {});
}

/// Opens a menu at the panel's top and clicks below it.
void RandomInput::use_menu() {
    vec2 at = within(layout_.menu);
    click(at);
    vec2 item =
        at + vec2(below(static_cast<int>(120 * scale_)), below(static_cast<int>(400 * scale_)));
    item = glm::min(item, vec2(window_.width - 1, window_.height - 1));
    click(item);
}

void RandomInput::click_anywhere() {
    click(within({0, 0, window_.width, window_.height}));
}

void RandomInput::type_text() {
    type(random_text());
    if (chance(40)) press(Key::enter, {});
}

void RandomInput::open_path() {
    press(Key::o, {.control = true});
    rest();
    type(random_text());
    press(Key::enter, {});
}

void RandomInput::drop_files() {
    std::vector<std::string> paths;
    for (int i = 0, count = chance(80) ? 1 : below(4); i < count && !files_.empty(); ++i)
        paths.push_back(files_[static_cast<std::size_t>(below(int(files_.size())))]);
    add("drop of " + (paths.empty() ? "nothing" : paths.front()), {DropEvent{paths}});
}

void RandomInput::close_dialogs() {
    for (int i = 0; i < 3; ++i) press(Key::escape, {});
}

void RandomInput::resize_window() {
    Extent size{200 + below(1100), 150 + below(750)};
    if (chance(15)) size.width = below(64);
    if (chance(15)) size.height = below(64);
    auto text = std::to_string(size.width) + "x" + std::to_string(size.height);
    planned_.push_back({.what = "window of " + text, .resize = size});
    // Windows too small to be used do not stay for long.
    constexpr int kUsable = 150;
    if (size.width < kUsable || size.height < kUsable)
        planned_.push_back({.what = "window of 900x600", .resize = Extent{900, 600}});
}

void RandomInput::lose_focus() {
    add("another window has the keyboard", {FocusEvent{false}});
    add("the keyboard is back", {FocusEvent{true}});
}

void RandomInput::rest() {
    for (int i = 0, count = 2 + below(10); i < count; ++i)
        planned_.push_back({.what = "rest", .rest = 0.02});
}

}  // namespace tl
