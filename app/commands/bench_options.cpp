#include "app/commands/bench_options.h"

#include "app/commands/value_option.h"

namespace tl {
namespace {

std::string default_words(const std::string& cuda, const std::string& cpu) {
    return "; default: " + cuda + " on a GPU, on the CPU " + cpu;
}

std::string size_text(Extent size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::string list_text(const std::vector<int>& list) {
    std::string text;
    for (int n : list) text.append(text.empty() ? "" : ",").append(std::to_string(n));
    return text;
}
std::string list_text(const std::vector<std::string>& list) {
    std::string text;
    for (auto& name : list) text.append(text.empty() ? "" : ",").append(name);
    return text;
}

}  // namespace

std::string words_of(const DeviceDefault<int>& by_device) {
    return default_words(std::to_string(by_device.cuda), std::to_string(by_device.cpu));
}
std::string words_of(const DeviceDefault<Extent>& by_device) {
    return default_words(size_text(by_device.cuda), size_text(by_device.cpu));
}
std::string words_of(const DeviceDefault<std::vector<int>>& by_device) {
    return default_words(list_text(by_device.cuda), list_text(by_device.cpu));
}
std::string words_of(const DeviceDefault<std::vector<std::string>>& by_device) {
    return default_words(list_text(by_device.cuda), list_text(by_device.cpu));
}

std::string BenchRepeats::words(const Device& device) const {
    bool is_limited = most_seconds() > 0 && device.kind() == DeviceKind::cpu;
    return std::string("median of ") + (is_limited ? "at most " : "") + std::to_string(count());
}

void add_repeat_options(CLI::App& command, BenchRepeats& repeats) {
    command
        .add_option("--repeat", repeats.asked,
                    "how often each time is measured; default: " + std::to_string(repeats.usual))
        ->type_name("N")
        ->check(between(1, 100000));
    name_number(
        command
            .add_option(
                "--seconds", repeats.seconds,
                "time limit of each measurement on the CPU: no further repeat after half of "
                "it; off: none; default: " +
                    number_text(BenchRepeats::kUsualSeconds) + ", with --repeat none")
            ->type_name("S")
            ->check(between(0.0, 1e9)),
        "off");
}

}  // namespace tl
