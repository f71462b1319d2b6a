// Edits of the viewer's sessions in two parts: a slow preparation, which runs in another thread
// while no frame does, and the adoption of its results in the loop's thread.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "app/viewer/viewer_model.h"

namespace tl {

/// Result of a preparation, or the exception that ended it.
template <class Result>
class Prepared {
  public:
    /// Runs `prepare`, which returns the result, and keeps its exception.
    template <class Prepare>
    void run(const Prepare& prepare) {
        try {
            result_ = prepare();
        } catch (...) {
            error_ = std::current_exception();
        }
    }
    [[nodiscard]] bool failed() const { return error_ != nullptr; }
    /// Moves the result out; Result{} if nothing has run. Rethrows the preparation's exception.
    [[nodiscard]] Result take() {
        if (error_) std::rethrow_exception(error_);
        return std::move(result_);
    }

  private:
    Result result_{};
    std::exception_ptr error_;
};

/// Preparations of the sessions of both sides of a comparison.
template <class Result>
struct PreparedSides {
    Prepared<Result> first;
    /// Side B; none without a comparison with a rendered one, and where the first has failed.
    std::optional<Prepared<Result>> second;
};

/// Sessions that an edit prepares.
enum class EditedSides { first, both };

/// Returns an edit for the gate, to which the caller adds its title and cancellation.
/// `prepare(session)` returns the result for one session; runs for the viewer's session and then,
/// if `sides` includes it, for that of side B. `adopt(sides)` gets PreparedSides of these results
/// and runs in the loop's thread, also after a failed preparation.
template <class Prepare, class Adopt>
[[nodiscard]] SessionGate::Edit prepared_edit(ViewerModel& model, EditedSides sides,
                                              Prepare prepare, Adopt adopt) {
    using Result = std::invoke_result_t<const Prepare&, Session&>;
    auto made = std::make_shared<PreparedSides<Result>>();
    auto prepare_sides = [&model, sides, made, prepare = std::move(prepare)] {
        made->first.run([&] { return prepare(model.session); });
        auto& second = model.view.compare.second;
        if (sides == EditedSides::first || made->first.failed()) return;
        if (!second || second->picture()) return;
        made->second.emplace().run([&] { return prepare(second->session()); });
    };
    return {.apply = [made, adopt = std::move(adopt)] { adopt(*made); },
            .prepare = std::move(prepare_sides)};
}

}  // namespace tl
