#include "core/ranks/ranks.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <thread>

#include "core/base/error.h"
#include "core/base/one_line.h"

namespace tl {
namespace {

using RankClock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int kTextTag = 1 << 14;  ///< above all tags of callers

/// A number in the environment; -1 where there is none.
int number_of_variable(const char* name) {
    const char* text = std::getenv(name);
    return text && *text ? std::atoi(text) : -1;
}

/// The module's file: $TREELIGHT_MPI, beside the program, or where it is installed.
std::string module_path() {
    if (const char* named = std::getenv("TREELIGHT_MPI"); named && *named) return named;
    std::error_code error;
    auto program = fs::read_symlink("/proc/self/exe", error);
    for (auto& folder :
         {program.parent_path(), program.parent_path().parent_path() / "lib/treelight"})
        if (auto path = folder / "treelight_mpi.so"; fs::exists(path, error)) return path;
    return "";
}

const MpiCalls& load_calls(const LaunchedRank& launched) {
    auto job = "this is rank " + std::to_string(launched.rank) + " of " +
               std::to_string(launched.size) + ", but ";
    auto path = module_path();
    if (path.empty())
        throw UserError(job +
                        "treelight_mpi.so is not beside the program: build where MPI is installed "
                        "(libopenmpi-dev), or start one process without mpirun");
    // MPI loads plugins of its own, which look for its symbols.
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!module) {
        const char* why = dlerror();
        throw UserError(job + "MPI cannot be loaded: " + one_line(why ? why : "unknown error"));
    }
    auto* calls = static_cast<const MpiCalls*>(dlsym(module, kMpiCallsName));
    if (!calls || calls->version != kMpiCallsVersion)
        throw UserError(path + ": is of another version than the program; build both together");
    return *calls;
}

std::string text_of(const MpiCalls& calls, int code) {
    std::array<char, 512> text{};
    calls.error_text(code, text.data(), text.size());
    return text.data();
}

/// The ranks that have a text, in words: "rank 1, 2".
std::string ranks_in_words(const std::vector<int>& ranks, std::size_t n_all) {
    if (ranks.size() == n_all) return "all ranks";
    std::string words = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i)
        words += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
    return words;
}

/// The texts of ranks that have one, with their ranks; "" if none has.
std::string joined_texts(const std::vector<std::string>& texts) {
    std::map<std::string, std::vector<int>> ranks_of;
    for (std::size_t rank = 0; rank < texts.size(); ++rank)
        if (!texts[rank].empty()) ranks_of[texts[rank]].push_back(static_cast<int>(rank));
    std::string joined;
    for (auto& [text, ranks] : ranks_of)
        joined += (joined.empty() ? "" : "; ") + ranks_in_words(ranks, texts.size()) + ": " + text;
    return joined;
}

/// The launcher's number of this process among those of its machine; -1 where it does not say.
int local_rank() {
    for (auto* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMIX_LOCAL_RANK",
                       "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
        if (int rank = number_of_variable(name); rank >= 0) return rank;
    return -1;
}

}  // namespace

LaunchedRank find_launched_rank() {
    constexpr std::array<std::array<const char*, 2>, 3> kLaunchers{{
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"PMIX_RANK", "SLURM_NTASKS"},
    }};
    for (auto& [rank, size] : kLaunchers) {
        LaunchedRank found{number_of_variable(rank), number_of_variable(size)};
        if (found.rank >= 0 && found.size >= 1) return found;
    }
    return {};
}

void choose_gpu_of_rank() {
    int local = local_rank();
    if (find_launched_rank().size < 2 || local < 0) return;
    std::vector<std::string> gpus;
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        for (std::string rest = visible; !rest.empty();) {
            auto end = std::min(rest.find(','), rest.size());
            gpus.push_back(rest.substr(0, end));
            rest.erase(0, end + 1);
        }
    } else {
        std::error_code error;
        while (fs::exists("/dev/nvidia" + std::to_string(gpus.size()), error))
            gpus.push_back(std::to_string(gpus.size()));
    }
    if (gpus.size() < 2) return;
    auto& own = gpus[static_cast<std::size_t>(local) % gpus.size()];
    setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1);
}

RankGroup::RankGroup(const MpiCalls& calls, int group, std::chrono::seconds limit)
    : calls_(&calls), group_(group), limit_(limit) {
    check(calls.find_rank(group, &rank_, &size_), "a group");
}

void RankGroup::check(int code, const std::string& what) const {
    if (code != 0) throw UserError("MPI has failed at " + what + ": " + text_of(*calls_, code));
}

template <class Start>
RankRequest RankGroup::in_parts(std::size_t count, std::string what, const Start& start) {
    RankRequest request{{}, std::move(what), count};
    std::size_t first = 0;
    do {
        std::size_t part = std::min(count - first, kMostOfMpiCall);
        request.parts.push_back(0);
        check(start(first, part, &request.parts.back()), request.what);
        first += part;
    } while (first < count);
    return request;
}

RankRequest RankGroup::start_send(const void* from, std::size_t bytes, int to, int tag) {
    auto* data = static_cast<const std::byte*>(from);
    return in_parts(bytes, "a message to rank " + std::to_string(to),
                    [&](std::size_t first, std::size_t part, MpiRequest* request) {
                        return calls_->send(group_, data + first, part, to, tag, request);
                    });
}

RankRequest RankGroup::start_receive(void* to, std::size_t bytes, int from, int tag) {
    auto* data = static_cast<std::byte*>(to);
    return in_parts(bytes, "a message of rank " + std::to_string(from),
                    [&](std::size_t first, std::size_t part, MpiRequest* request) {
                        return calls_->receive(group_, data + first, part, from, tag, request);
                    });
}

RankRequest RankGroup::start_broadcast(void* data, std::size_t bytes, int root) {
    auto* bytes_of_all = static_cast<std::byte*>(data);
    return in_parts(bytes, "data of rank " + std::to_string(root),
                    [&](std::size_t first, std::size_t part, MpiRequest* request) {
                        return calls_->broadcast(group_, bytes_of_all + first, part, root, request);
                    });
}

void RankGroup::send(const void* from, std::size_t bytes, int to, int tag) {
    auto request = start_send(from, bytes, to, tag);
    wait(request);
}

void RankGroup::receive(void* to, std::size_t bytes, int from, int tag) {
    auto request = start_receive(to, bytes, from, tag);
    wait(request);
}

void RankGroup::broadcast(void* data, std::size_t bytes, int root) {
    auto request = start_broadcast(data, bytes, root);
    wait(request);
}

std::optional<RankMessage> RankGroup::find_message(int tag) {
    RankMessage message;
    int found = 0;
    check(calls_->probe(group_, tag, &found, &message.from, &message.bytes), "messages");
    return found ? std::optional(message) : std::nullopt;
}

template <class T>
void RankGroup::add_numbers(T* numbers, std::size_t count, int root) {
    auto type = sizeof(T) == sizeof(float) ? MpiNumber::float32 : MpiNumber::float64;
    auto request = in_parts(count, "sums over the ranks",
                            [&](std::size_t first, std::size_t part, MpiRequest* made) {
                                return calls_->add(group_, numbers + first, part, type, root, made);
                            });
    wait(request);
}

void RankGroup::add(float* numbers, std::size_t count, int root) {
    add_numbers(numbers, count, root);
}

void RankGroup::add(double* numbers, std::size_t count, int root) {
    add_numbers(numbers, count, root);
}

void RankGroup::choose_largest(void* record, std::size_t bytes) {
    if (size_ == 1) return;
    RankRequest request{{0}, "the largest candidate of the ranks"};
    check(calls_->choose_largest(group_, record, bytes, request.parts.data()), request.what);
    wait(request);
}

std::vector<std::string> RankGroup::gather(const std::string& text) {
    std::vector<std::uint64_t> lengths(is_root() ? static_cast<std::size_t>(size_) : 0);
    std::uint64_t length = text.size();
    RankRequest request{{0}, "the other ranks"};
    check(calls_->gather(group_, &length, sizeof length, lengths.data(), 0, request.parts.data()),
          request.what);
    wait(request);
    if (!is_root()) {
        if (length > 0) send(text.data(), length, 0, kTextTag);
        return {};
    }
    std::vector<std::string> texts(lengths.size());
    texts[0] = text;
    for (std::size_t rank = 1; rank < texts.size(); ++rank) {
        texts[rank].resize(lengths[rank]);
        if (lengths[rank] > 0)
            receive(texts[rank].data(), lengths[rank], static_cast<int>(rank), kTextTag);
    }
    return texts;
}

RankGroup RankGroup::split(int color, int key) const {
    int part = 0;
    check(calls_->split(group_, color, key, &part), "a part of the ranks");
    return {*calls_, part, limit_};
}

bool RankGroup::is_done(RankRequest& request) {
    while (!request.parts.empty()) {
        int done = 0;
        check(calls_->test(&request.parts.back(), &done), request.what);
        if (!done) return false;
        request.parts.pop_back();
    }
    return true;
}

void RankGroup::wait(RankRequest& request) {
    // Longer than a message between ranks that share a core: a panel of a matrix waits for many.
    // MPI moves long messages in small pieces, and only while it is called.
    constexpr double kSlowest = 100e6;  // bytes a second
    auto spin = std::chrono::duration<double>(2e-3 + static_cast<double>(request.bytes) / kSlowest);
    constexpr std::chrono::microseconds kShortest(20), kLongest(1000);
    auto start = RankClock::now();
    auto pause = kShortest;
    while (!is_done(request)) {
        auto waited = RankClock::now() - start;
        if (waited > limit_)
            throw UserError("rank " + std::to_string(rank_) + " has waited " +
                            std::to_string(limit_.count()) + " s for " + request.what +
                            "; a rank may be lost, or needs a longer --rank-timeout");
        if (waited < spin) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, kLongest);
    }
}

Ranks::Ranks(const MpiCalls& calls, std::chrono::seconds limit)
    : calls_(&calls), n_exceptions_(std::uncaught_exceptions()), all_(calls, kAllRanks, limit) {}

std::unique_ptr<Ranks> Ranks::open(const std::string& build, std::chrono::seconds limit) {
    auto launched = find_launched_rank();
    if (launched.size < 2) return nullptr;
    auto& calls = load_calls(launched);
    if (int code = calls.begin(); code != 0)
        throw UserError("MPI cannot start: " + text_of(calls, code));
    std::unique_ptr<Ranks> ranks(new Ranks(calls, limit));
    if (ranks->all().size() != launched.size) {
        ranks->end(false);  // each process has a job of its own
        throw UserError("the launcher has started " + std::to_string(launched.size) +
                        " processes, but MPI connects " + std::to_string(ranks->all().size()) +
                        ": mpirun and the program's MPI are of different kinds");
    }
    auto builds = ranks->all().gather(build);
    bool differ = std::any_of(builds.begin(), builds.end(), [&](auto& b) { return b != build; });
    ranks->agree(differ ? "the ranks run different programs: " + joined_texts(builds) : "");
    return ranks;
}

Ranks::~Ranks() {
    end(std::uncaught_exceptions() > n_exceptions_);
}

void Ranks::end(bool failed) {
    if (ended_) return;
    ended_ = true;
    if (failed && !agreed_)
        calls_->abort(1);
    else
        calls_->finish();
}

void Ranks::agree(const std::string& error, bool is_usage) {
    auto texts = all_.gather(error);
    auto errors = joined_texts(texts);
    char fails = errors.empty() ? 0 : 1;
    all_.broadcast(&fails, 1, 0);
    if (!fails) return;
    agreed_ = true;
    if (!all_.is_root()) throw ReportedByRoot();
    bool is_same = std::all_of(texts.begin(), texts.end(), [&](auto& t) { return t == error; });
    bool of_root = std::all_of(texts.begin() + 1, texts.end(), [](auto& t) { return t.empty(); });
    if (is_usage && (is_same || of_root)) throw UsageError(error);
    throw UserError(is_same || of_root ? error : errors);
}

}  // namespace tl
