#include "app/viewer/messages.h"

#include "accel/parallel/console.h"

namespace tl {
namespace {
constexpr std::chrono::seconds kShown{8};
}

void Messages::say(Level level, const std::string& text) {
    level_ = level;
    text_ = text;
    said_ = std::chrono::steady_clock::now();
    if (level == Level::warning) print_warning(text);
    if (level == Level::error) print_error(text);
}

void Messages::error(const std::string& title, const std::string& text) {
    say(Level::error, title + ": " + text);
    dialog_title_ = title;
    dialog_text_ = text;
}

void Messages::close_dialog() {
    dialog_title_.clear();
    said_ = std::chrono::steady_clock::now();
}

const std::string& Messages::current() const {
    static const std::string none;
    bool old = std::chrono::steady_clock::now() - said_ > kShown;
    return old && dialog_title_.empty() ? none : text_;
}

}  // namespace tl
