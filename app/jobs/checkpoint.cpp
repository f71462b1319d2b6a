#include "app/jobs/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "app/jobs/checkpoint_file.h"
#include "app/jobs/terminal_progress.h"
#include "core/base/console.h"
#include "core/base/files.h"

namespace tl {
namespace {

/// The root's text at all ranks.
void share_text(Ranks* job, std::string& text) {
    if (!job) return;
    std::uint64_t length = text.size();
    job->all().broadcast(&length, sizeof length, 0);
    text.resize(length);
    if (length > 0) job->all().broadcast(text.data(), length, 0);
}

/// Throws UserError if the processes cannot continue what others have begun.
void require_continuable(const std::string& path, const PictureState& state, std::uint32_t spp,
                         std::size_t n_ranks) {
    if (state.samples.empty()) throw UserError(path + ": holds no samples; delete it");
    auto [least, most] = std::ranges::minmax(state.samples);
    if (state.samples.size() != n_ranks && least != most)
        throw UserError(path + ": holds the shares of " + std::to_string(state.samples.size()) +
                        " ranks, which have different numbers of samples; go on with as many");
    if (most > spp)
        throw UserError(path + ": holds " + std::to_string(most) +
                        " samples a pixel, more than the wanted " + std::to_string(spp) +
                        "; raise --spp, or delete the file to start over");
}

/// Brings this process to the state.
void restore(const std::string& path, Session& session, AovBuffers& layers,
             const PictureState& state, std::size_t rank, const InterruptFlag& interrupt,
             bool shows) {
    auto samples = state.samples.at(rank);
    TerminalProgress progress("samples of the checkpoint", static_cast<int>(samples));
    bool whole = resume_picture(
        session, layers, state, rank, [&] { return interrupt.is_set(); },
        [&] {
            if (shows) progress.show(static_cast<int>(session.samples()));
        });
    if (!whole)
        throw UserError("stopped by " + interrupt.cause() + " before a new sample; " + path +
                        " is as it was");
}

}  // namespace

Checkpoint::Checkpoint(std::string path, std::chrono::seconds every, PictureKey key)
    : path_(std::move(path)), every_(every), key_(std::move(key)) {}

std::optional<std::uint32_t> Checkpoint::resume(Session& session, AovBuffers& layers,
                                                std::uint32_t spp, Ranks* job,
                                                const InterruptFlag& interrupt) {
    std::string bytes;
    do_together(job, [&] {
        if (!is_root(job)) return;
        // Pixels take 16 bytes at least.
        require_writable(path_, static_cast<std::uint64_t>(session.extent().pixels()) * 16);
        std::error_code error;
        if (std::filesystem::exists(path_, error)) bytes = read_file(path_);
    });
    share_text(job, bytes);
    if (bytes.empty()) return {};
    std::uint32_t least = 0;
    do_together(job, [&] {
        auto state = read_checkpoint(path_, bytes, key_);
        std::size_t n_ranks = job ? static_cast<std::size_t>(job->size()) : 1;
        require_continuable(path_, state, spp, n_ranks);
        least = std::ranges::min(state.samples);
        state.samples.resize(n_ranks, least);
        auto rank = job ? static_cast<std::size_t>(job->all().rank()) : 0;
        restore(path_, session, layers, state, rank, interrupt, is_root(job));
    });
    last_ = Clock::now();
    return least;
}

bool Checkpoint::save(Session& session, AovBuffers& layers, std::vector<std::uint32_t> samples) {
    bool written = true;
    try {
        write_checkpoint(path_, key_, picture_state(session, layers, std::move(samples)));
    } catch (const UserError& error) {
        print_warning("no checkpoint was written: " + message_of(error));
        written = false;
    }
    last_ = Clock::now();
    return written;
}

void Checkpoint::remove() {
    std::error_code error;
    std::filesystem::remove(path_, error);
    if (error) print_warning(path_ + ": cannot be removed: " + error.message());
}

}  // namespace tl
