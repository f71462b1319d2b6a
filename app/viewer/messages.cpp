#include "app/viewer/messages.h"

#include <ctime>

#include "core/base/console.h"

namespace tl {
namespace {
constexpr std::chrono::seconds kShown{8};
}

void Messages::say(Level level, const std::string& text, const std::string& path) {
    level_ = level;
    text_ = text;
    path_ = path;
    said_ = std::chrono::steady_clock::now();
    bool again = !log_.empty() && log_.back().text == text && log_.back().level == level;
    if (again)
        ++log_.back().count;
    else
        log_.push_back({level, text, path, {}, 1});
    log_.back().said = std::chrono::system_clock::now();
    if (log_.size() > kKept) log_.pop_front();
    if (level == Level::warning) print_warning(text);
    if (level == Level::error) print_error(text);
}

void Messages::wrote(const std::string& verb, const std::string& path) {
    say(Level::info, verb + " " + path, path);
}

void Messages::error(const std::string& title, const std::string& text) {
    say(Level::error, title + ": " + text);
    ++n_errors_;
    dialog_title_ = title;
    dialog_text_ = text;
}

void Messages::close_dialog() {
    dialog_title_.clear();
    said_ = std::chrono::steady_clock::now();
}

std::string Messages::log_text() const {
    std::string text;
    for (auto& entry : log_) {
        text += clock_text(entry.said) + " " + name_of(entry.level) + ": " + entry.text;
        if (entry.count > 1) text += " (" + std::to_string(entry.count) + " times)";
        text += "\n";
    }
    return text;
}

const char* name_of(Messages::Level level) {
    if (level == Messages::Level::error) return "error";
    return level == Messages::Level::warning ? "warning" : "message";
}

std::string clock_text(std::chrono::system_clock::time_point time) {
    std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm local{};
    localtime_r(&seconds, &local);
    char text[16];
    std::strftime(text, sizeof text, "%H:%M:%S", &local);
    return text;
}

const std::string& Messages::current() const {
    static const std::string none;
    bool old = std::chrono::steady_clock::now() - said_ > kShown;
    return old && dialog_title_.empty() ? none : text_;
}

}  // namespace tl
