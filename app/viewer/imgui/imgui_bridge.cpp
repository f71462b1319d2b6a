#include "app/viewer/imgui/imgui_bridge.h"

#include <dlfcn.h>
#include <glad/gl.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <algorithm>

#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/imgui/theme.h"
#include "core/base/error.h"

namespace tl {
namespace {

/// Keys that text fields and lists use. ImGui names all keys since 1.87; earlier versions have a
/// table of the keys they use.
constexpr std::pair<Key, ImGuiKey> kKeys[] = {
    {Key::tab, ImGuiKey_Tab},
    {Key::left, ImGuiKey_LeftArrow},
    {Key::right, ImGuiKey_RightArrow},
    {Key::up, ImGuiKey_UpArrow},
    {Key::down, ImGuiKey_DownArrow},
    {Key::page_up, ImGuiKey_PageUp},
    {Key::page_down, ImGuiKey_PageDown},
    {Key::home, ImGuiKey_Home},
    {Key::end, ImGuiKey_End},
    {Key::insert, ImGuiKey_Insert},
    {Key::del, ImGuiKey_Delete},
    {Key::backspace, ImGuiKey_Backspace},
    {Key::space, ImGuiKey_Space},
    {Key::enter, ImGuiKey_Enter},
    {Key::escape, ImGuiKey_Escape},
#if IMGUI_VERSION_NUM >= 18700
    {Key::keypad_enter, ImGuiKey_KeypadEnter},
#else
    {Key::keypad_enter, ImGuiKey_KeyPadEnter},
#endif
    {Key::a, ImGuiKey_A},
    {Key::c, ImGuiKey_C},
    {Key::v, ImGuiKey_V},
    {Key::x, ImGuiKey_X},
    {Key::y, ImGuiKey_Y},
    {Key::z, ImGuiKey_Z},
};

void set_clipboard(GlContext& context, const char* text) {
    context.set_clipboard(text);
}
const char* clipboard(GlContext& context) {
    static std::string text;  // ImGui reads it before the next call
    text = context.clipboard();
    return text.c_str();
}

void connect_clipboard(GlContext& context) {
#if IMGUI_VERSION_NUM >= 19110
    auto& io = ImGui::GetPlatformIO();
    io.Platform_ClipboardUserData = &context;
    io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
        set_clipboard(*static_cast<GlContext*>(ImGui::GetPlatformIO().Platform_ClipboardUserData),
                      text);
    };
    io.Platform_GetClipboardTextFn = [](ImGuiContext*) {
        return clipboard(
            *static_cast<GlContext*>(ImGui::GetPlatformIO().Platform_ClipboardUserData));
    };
#else
    auto& io = ImGui::GetIO();
    io.ClipboardUserData = &context;
    io.SetClipboardTextFn = [](void* context, const char* text) {
        set_clipboard(*static_cast<GlContext*>(context), text);
    };
    io.GetClipboardTextFn = [](void* context) {
        return clipboard(*static_cast<GlContext*>(context));
    };
#endif
}

}  // namespace

bool pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM >= 18700
    return ImGui::IsKeyPressed(key);
#else
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#endif
}

void show_reached_item() {
#if IMGUI_VERSION_NUM >= 19140
    ImGui::SetNavCursorVisible(true);
#else
    ImGui::GetCurrentContext()->NavDisableHighlight = false;
#endif
}

void reach_first_item() {
    ImGui::NavInitWindow(ImGui::GetCurrentContext()->CurrentWindow, false);
    show_reached_item();
}

SkippedByKeys::SkippedByKeys(Keys keys) : all_keys_(keys == all_keys) {
    if (all_keys_) ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
#if IMGUI_VERSION_NUM >= 18900
    ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, true);
#else
    auto& g = *ImGui::GetCurrentContext();
    waits_ = g.NavMoveScoringItems && (g.NavMoveFlags & ImGuiNavMoveFlags_Tabbing);
    if (waits_) g.NavMoveScoringItems = false;
#endif
}

SkippedByKeys::~SkippedByKeys() {
#if IMGUI_VERSION_NUM >= 18900
    ImGui::PopItemFlag();
#endif
    if (waits_) ImGui::GetCurrentContext()->NavMoveScoringItems = true;
    if (all_keys_) ImGui::PopItemFlag();
}

namespace {

/// Makes Tab reach all items in the order in which they are drawn, as later versions of ImGui do.
/// Earlier versions reach only those that take text. Called once a frame has begun.
void begin_tabbing(bool navigate) {
#if IMGUI_VERSION_NUM < 18900
    auto& g = *ImGui::GetCurrentContext();
    if (!navigate || !g.NavMoveSubmitted || !(g.NavMoveFlags & ImGuiNavMoveFlags_Tabbing)) return;
    g.NavMoveFlags |= ImGuiNavMoveFlags_FocusApi;
    if (g.NavTabbingDir == 0 && g.NavId != 0) g.NavTabbingDir = 1;
#else
    (void)navigate;
#endif
}

/// Lets Tab go to the first item if the item to continue from was not drawn. Called before a frame
/// ends.
void end_tabbing() {
#if IMGUI_VERSION_NUM < 18900
    auto& g = *ImGui::GetCurrentContext();
    constexpr ImGuiNavMoveFlags kOurs = ImGuiNavMoveFlags_Tabbing | ImGuiNavMoveFlags_FocusApi;
    bool continues =
        g.NavMoveSubmitted && (g.NavMoveFlags & kOurs) == kOurs && g.NavTabbingDir == 1;
    if (continues && g.NavTabbingCounter < 0) g.NavTabbingDir = 0;
#endif
}

}  // namespace

namespace {

/// Whether the library is found through which ImGui loads OpenGL. ImGui prints a line of its own
/// where it is not.
bool finds_gl() {
    void* library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != nullptr;
}

}  // namespace

ImguiBridge::ImguiBridge(GlContext& context) : context_(context) {
    ImGui::CreateContext();
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // the viewer keeps its own settings
    io.LogFilename = nullptr;
    io.BackendPlatformName = "treelight";
#if IMGUI_VERSION_NUM < 18700
    for (auto [key, name] : kKeys) io.KeyMap[name] = static_cast<int>(key);
#endif
    connect_clipboard(context);
    if (!finds_gl() || !ImGui_ImplOpenGL3_Init("#version 450 core")) {
        ImGui::DestroyContext();
        throw UserError(
            "the interface finds no libGL.so.1, which belongs to a graphics driver: install that, "
            "or libgl1");
    }
}

ImguiBridge::~ImguiBridge() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
}

void ImguiBridge::feed_key(const KeyEvent& event) {
#if IMGUI_VERSION_NUM >= 18700
    auto& io = ImGui::GetIO();
    // Shortcuts of text fields (copy, paste) depend on the symbol printed on the key.
    for (auto [key, name] : kKeys)
        if (key == event.symbol) io.AddKeyEvent(name, event.down);
#if IMGUI_VERSION_NUM >= 18900
    io.AddKeyEvent(ImGuiMod_Ctrl, event.modifiers.control);
    io.AddKeyEvent(ImGuiMod_Shift, event.modifiers.shift);
    io.AddKeyEvent(ImGuiMod_Alt, event.modifiers.alt);
#else
    io.AddKeyEvent(ImGuiKey_ModCtrl, event.modifiers.control);
    io.AddKeyEvent(ImGuiKey_ModShift, event.modifiers.shift);
    io.AddKeyEvent(ImGuiKey_ModAlt, event.modifiers.alt);
#endif
#else
    held_ = event.modifiers;
    auto index = static_cast<std::size_t>(event.symbol);
    if (index >= down_.size()) return;
    down_[index] = event.down;
    if (!event.down) return;
    pressed_[index] = true;
    chord_ = event.modifiers;
#endif
}

void ImguiBridge::feed(const InputEvent& event) {
    auto& io = ImGui::GetIO();
    if (auto* key = std::get_if<KeyEvent>(&event)) {
        feed_key(*key);
    } else if (auto* text = std::get_if<TextEvent>(&event)) {
        io.AddInputCharacter(static_cast<unsigned>(text->character));
    }
#if IMGUI_VERSION_NUM >= 18700
    else if (auto* cursor = std::get_if<CursorEvent>(&event)) {
        io.AddMousePosEvent(cursor->position.x, cursor->position.y);
    } else if (auto* button = std::get_if<ButtonEvent>(&event)) {
        io.AddMouseButtonEvent(static_cast<int>(button->button), button->down);
    } else if (auto* scroll = std::get_if<ScrollEvent>(&event)) {
        io.AddMouseWheelEvent(scroll->notches.x, scroll->notches.y);
    } else if (auto* focus = std::get_if<FocusEvent>(&event)) {
        io.AddFocusEvent(focus->focused);
    }
#else
    else if (auto* cursor = std::get_if<CursorEvent>(&event)) {
        io.MousePos = ImVec2(cursor->position.x, cursor->position.y);
    } else if (auto* button = std::get_if<ButtonEvent>(&event)) {
        io.MouseDown[static_cast<int>(button->button)] = button->down;
    } else if (auto* scroll = std::get_if<ScrollEvent>(&event)) {
        io.MouseWheelH += scroll->notches.x;
        io.MouseWheel += scroll->notches.y;
    } else if (auto* focus = std::get_if<FocusEvent>(&event)) {
        io.AddFocusEvent(focus->focused);
        if (!focus->focused) {
            down_.reset();
            held_ = {};
        }
    }
#endif
}

void ImguiBridge::set_look(const Look& look) {
    if (look == look_) return;
    bool had_fonts = look_.scale != 0;
    look_ = look;
    apply_theme(look);
#if IMGUI_VERSION_NUM < 19200
    // In the first frame, NewFrame creates the font texture.
    if (had_fonts) {
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
    }
#else
    (void)had_fonts;
#endif
}

void ImguiBridge::begin_frame(Extent window, float seconds, const Look& look, bool navigate) {
    auto& io = ImGui::GetIO();
    if (navigate)
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    else
        io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
    set_look(look);
    io.DisplaySize = ImVec2(static_cast<float>(window.width), static_cast<float>(window.height));
    io.DeltaTime = std::clamp(seconds, 1e-4f, 1.0f);
#if IMGUI_VERSION_NUM < 18700
    // A key pressed and released since the last frame still counts as pressed in this one, with the
    // modifiers that were held then.
    auto& modifiers = pressed_.any() ? chord_ : held_;
    io.KeyCtrl = modifiers.control;
    io.KeyShift = modifiers.shift;
    io.KeyAlt = modifiers.alt;
    for (std::size_t i = 0; i < down_.size(); ++i) io.KeysDown[i] = down_[i] || pressed_[i];
    // Later versions press buttons by Enter as well as by Space.
    auto enter = static_cast<std::size_t>(Key::enter), space = static_cast<std::size_t>(Key::space);
    if (navigate && !io.WantTextInput && pressed_[enter]) io.KeysDown[space] = true;
    pressed_.reset();
#endif
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    begin_tabbing(navigate);
}

void ImguiBridge::end_frame() {
    end_tabbing();
    ImGui::Render();
    glBindFramebuffer(GL_FRAMEBUFFER, context_.framebuffer());
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void ImguiBridge::skip_frame() {
    end_tabbing();
    ImGui::EndFrame();
}

bool ImguiBridge::wants_mouse() const {
    return ImGui::GetIO().WantCaptureMouse;
}
bool ImguiBridge::wants_text() const {
    // A field that got the keyboard in the last frame is known to ImGui's own state alone.
    constexpr int kWanted = 1;
    return ImGui::GetIO().WantTextInput ||
           ImGui::GetCurrentContext()->WantTextInputNextFrame == kWanted;
}
bool ImguiBridge::widget_held() const {
    return ImGui::IsAnyItemActive();
}

namespace {

/// Window of the newest popup; null if none is open or it has not been drawn.
const ImGuiWindow* newest_popup() {
    auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
    return open.empty() ? nullptr : open.back().Window;
}

}  // namespace

bool ImguiBridge::popup_open() const {
    auto* popup = newest_popup();
    return popup && !(popup->Flags & ImGuiWindowFlags_Modal);
}
bool ImguiBridge::dialog_open() const {
    auto* popup = newest_popup();
    return popup && (popup->Flags & ImGuiWindowFlags_Modal);
}

}  // namespace tl
