#include "app/viewer/window/gl_probe.h"

#include <cstdint>
#include <thread>

#include "app/viewer/window/egl_context.h"
#include "core/base/host_memory.h"
#include "renderer/scene/loaders/run_apart.h"

namespace tl {
namespace {

/// Limit on processor time and on wall-clock time, in s; drivers answer within 2 s.
constexpr std::size_t kSeconds = 20;
constexpr std::size_t kBytes = std::size_t{1} << 40;  // of memory; so large that it never limits

std::string words_of_failure(ApartFailure::Cause cause) {
    bool is_limit = cause == ApartFailure::Cause::limit;
    std::string words =
        is_limit ? "the driver of OpenGL did not answer" : "the driver of OpenGL crashed";
    auto limit = address_space_limit();
    if (!limit) return words + ": update the graphics driver, or use `treelight render`";
    return words + " (" + limit->words + "): raise that limit, or use `treelight render`";
}

}  // namespace

GlNames probe_gl() {
    auto names_in_lines = [](const ReadProgress&) {
        EglContext context({64, 64});
        auto names = gl_names();
        return names.renderer + ", " + context.name() + "\n" + names.version;
    };
    try {
        auto lines = run_apart(names_in_lines, {kSeconds, kBytes, kSeconds});
        auto end = lines.find('\n');
        return {lines.substr(0, end), lines.substr(end + 1)};
    } catch (const ApartFailure& failure) {
        throw UserError(words_of_failure(failure.cause));
    } catch (const UserError& error) {
        auto limit = address_space_limit();
        if (!limit) throw;
        throw UserError("OpenGL does not open within the limits of memory (" + limit->words +
                        "): " + error.what());
    }
}

void require_gl_within_limits() {
    if (!address_space_limit()) return;
    // Software OpenGL compiles shaders, which needs more than opening it: with less than this it
    // crashes some frames later.
    constexpr std::uint64_t kLeast = 1 << 30, kThread = 32 << 20;
    require_address_space(kLeast + kThread * std::thread::hardware_concurrency(), "the viewer");
    (void)probe_gl();
}

}  // namespace tl
