#include "solvers/minimal/solver_writer.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "core/base/text.h"

namespace tl::minimal {
namespace {

std::string text_of(std::size_t number) {
    return std::to_string(number);
}

/// Four numbers, computed with as one, in a source of its own.
constexpr const char* kPack = R"(#define TL_D
typedef double Vector __attribute__((vector_size(32)));
struct Pack {
    Vector v;
    Pack() = default;
    explicit Pack(double x) : v{x, x, x, x} {}
    explicit Pack(Vector x) : v(x) {}
};
static inline Pack operator+(Pack a, Pack b) { return Pack(a.v + b.v); }
static inline Pack operator-(Pack a, Pack b) { return Pack(a.v - b.v); }
static inline Pack operator*(Pack a, Pack b) { return Pack(a.v * b.v); }
static inline Pack operator-(Pack a) { return Pack(-a.v); }
static inline Pack& operator+=(Pack& a, Pack b) { return a = a + b; }
)";

class SolverWriter {
  public:
    SolverWriter(const PolynomialSystem& system, const EliminationTemplate& found)
        : system_(system), found_(found), n_basis_(found.basis.size()) {
        n_columns_ = found.rows.size() + n_basis_;
        std::size_t column = 0;
        for (auto* list : {&found.eliminated, &found.reducible, &found.basis})
            for (auto& monomial : *list) place_[monomial] = column++;
        for (auto& equation : system.equations) {
            first_coefficient_.push_back(n_coefficients_);
            n_coefficients_ += equation.size();
        }
    }

    /// A header.
    std::string write() {
        head();
        text_ += "#pragma once\n\n#include \"core/base/macros.h\"\n\n";
        for_devices();
        return text_;
    }

    /// The same without includes, for a source that has all headers before it.
    std::string write_kernel(bool by_warps) {
        head();
        for_devices();
        line(0, "");
        line(0, std::string("extern \"C\" __global__ void __launch_bounds__(tl::minimal::") +
                    (by_warps ? "kInstanceWarp)" : "kInstanceThreads)"));
        line(0, std::string(kKernelName) + "(tl::minimal::InstanceTask task) {");
        line(1, std::string("tl::cuda::minimal::") +
                    (by_warps ? "solve_by_warps" : "solve_by_threads") +
                    "<tl::cuda::minimal::" + solver_name(system_) + ">(task);");
        line(0, "}");
        return text_;
    }

    /// A source of a shared object.
    std::string write_source() {
        head();
        text_ += kPack;
        text_ += "\nnamespace minimal {\n\n";
        functions();
        text_ += "\n}  // namespace minimal\n\n";
        exports();
        return text_;
    }

  private:
    void line(int depth, const std::string& what) {
        text_ += std::string(4 * static_cast<std::size_t>(depth), ' ') + what + "\n";
    }
    [[nodiscard]] std::string name(const Monomial& monomial) const {
        return monomial.text(system_.unknowns);
    }

    void head() {
        text_ += "// Written by 'treelight generate-solver' from this system:\n//\n";
        std::size_t begin = 0;
        auto& source = system_.source;
        while (begin < source.size()) {
            std::size_t end = std::min(source.find('\n', begin), source.size());
            std::string one = source.substr(begin, end - begin);
            // A line that ends in a backslash would go on in the next one.
            while (!one.empty() && (one.back() == '\\' || one.back() == '\r')) one.pop_back();
            text_ += one.empty() ? "//\n" : "//     " + one + "\n";
            begin = end + 1;
        }
        text_ += "//\n";
        auto summary = template_summary(system_, found_);
        for (begin = 0; begin < summary.size();) {
            std::size_t end = summary.find('\n', begin);
            text_ += "// " + summary.substr(begin, end - begin) + "\n";
            begin = end + 1;
        }
    }

    void for_devices() {
        text_ += "TL_DEVICE_BEGIN\n\nnamespace minimal {\n\n";
        functions();
        text_ += "\n}  // namespace minimal\n\nTL_DEVICE_END\n";
    }

    void functions() {
        line(0, "struct " + solver_name(system_) + " {");
        constants();
        coefficients();
        fill();
        action();
        unknowns();
        residuals();
        line(0, "};");
    }

    /// The functions under names that SharedObject looks up.
    void exports() {
        auto solver = "minimal::" + solver_name(system_);
        line(0, "#define EXPORT extern \"C\" __attribute__((visibility(\"default\")))");
        std::string sizes;
        for (auto* name : {"kParameters", "kUnknowns", "kSolutions", "kEquations", "kCoefficients",
                           "kRows", "kReducible", "kColumns"})
            sizes += (sizes.empty() ? "" : ", ") + solver + "::" + name;
        line(0,
             "EXPORT const int treelight_sizes[];\nconst int treelight_sizes[] = {" + sizes + "};");
        text(template_summary(system_, found_), "treelight_summary");
        text(multiplicity_warning(found_), "treelight_multiple");
        auto function = [&](const std::string& name, const std::string& parameters,
                            const std::string& arguments) {
            line(0, "EXPORT void treelight_" + name + "(" + parameters + ") {");
            line(1, solver + "::" + name + "(" + arguments + ");");
            line(0, "}");
        };
        function("coefficients", "const Pack* p, Pack* c", "p, c");
        function("fill", "const Pack* c, Pack* m", "c, m");
        function("action", "const Pack* r, Pack* a", "r, a");
        function("unknowns", "const Pack* v, const Pack* r, const Pack* eigenvalue, Pack* u",
                 "v, r, *eigenvalue, u");
        function("residuals", "const Pack* c, const Pack* u, Pack* f, Pack* derivatives",
                 "c, u, f, derivatives");
    }
    void text(const std::string& content, const std::string& symbol) {
        line(0, "EXPORT const char " + symbol + "[];\nconst char " + symbol + "[] = R\"(" +
                    content + ")\";");
    }

    void constants() {
        auto constant = [&](const char* what, std::size_t value) {
            line(1, std::string("static constexpr int ") + what + " = " + text_of(value) + ";");
        };
        constant("kParameters", static_cast<std::size_t>(system_.n_parameters));
        constant("kUnknowns", system_.unknowns.size());
        constant("kSolutions", n_basis_);
        constant("kEquations", system_.equations.size());
        constant("kCoefficients", n_coefficients_);
        constant("kRows", found_.rows.size());
        constant("kReducible", found_.reducible.size());
        constant("kColumns", n_columns_);
        line(0, "");
    }

    /// A name that is unique in the function, and no keyword of C++.
    static std::string name_of(const Parameter& parameter) { return parameter.name + "_"; }

    [[nodiscard]] std::string factor_text(Factor factor) const {
        if (CoefficientPool::is_sum(factor)) return "s" + std::to_string(factor - kFirstSum);
        for (auto& parameter : system_.parameters)
            if (factor >= parameter.first &&
                factor < parameter.first + parameter.rows * parameter.columns)
                return name_of(parameter) + "[" + std::to_string(factor - parameter.first) + "]";
        return "";
    }
    [[nodiscard]] std::string sum_text(const Sum& sum) const {
        std::string result;
        for (auto& term : sum) {
            bool minus = term.scale.top() < 0;
            if (result.empty())
                result = minus ? "-" : "";
            else
                result += minus ? " - " : " + ";
            std::string product;
            auto times = [&](const std::string& what) {
                product += product.empty() ? what : " * " + what;
            };
            auto top = std::to_string(minus ? -term.scale.top() : term.scale.top());
            bool is_one = top == "1" && term.scale.bottom() == 1;
            bool is_number = term.b == kNone;
            if (!is_one || is_number)
                times(term.scale.bottom() == 1
                          ? "T(" + top + ".0)"
                          : "T(" + top + ".0 / " + std::to_string(term.scale.bottom()) + ")");
            for (Factor factor : {term.a, term.b})
                if (factor != kNone) times(factor_text(factor));
            result += product;
        }
        return result;
    }

    /// Whether each of the pool's sums is used by a coefficient of the equations.
    [[nodiscard]] std::vector<bool> used_sums() const {
        std::vector<bool> used(system_.pool.size(), false);
        auto mark = [&](const Sum& sum) {
            for (auto& term : sum)
                for (Factor factor : {term.a, term.b})
                    if (CoefficientPool::is_sum(factor))
                        used[static_cast<std::size_t>(factor - kFirstSum)] = true;
        };
        for (auto& equation : system_.equations)
            for (auto& [monomial, sum] : equation) mark(sum);
        // Sums are made of those before them.
        for (std::size_t i = used.size(); i-- > 0;)
            if (used[i]) mark(system_.pool.sum(kFirstSum + static_cast<Factor>(i)));
        return used;
    }

    void coefficients() {
        line(1, "/// The equations' coefficients, for parameters p: the elements of " +
                    parameter_names() + ", row by row.");
        line(1, "template <class T>");
        line(1, "static TL_D void coefficients(const T* p, T* c) {");
        for (auto& parameter : system_.parameters)
            line(2, "const T* " + name_of(parameter) + " = p + " + std::to_string(parameter.first) +
                        ";  // " + std::to_string(parameter.rows) + " x " +
                        std::to_string(parameter.columns));
        auto used = used_sums();
        for (std::size_t i = 0; i < used.size(); ++i)
            if (used[i])
                line(2, "const T s" + text_of(i) + " = " +
                            sum_text(system_.pool.sum(kFirstSum + static_cast<Factor>(i))) + ";");
        std::size_t k = 0;
        for (std::size_t e = 0; e < system_.equations.size(); ++e) {
            line(2, "// Equation " + text_of(e));
            for (auto& [monomial, sum] : system_.equations[e])
                line(2, "c[" + text_of(k++) + "] = " + sum_text(sum) + ";  // " + name(monomial));
        }
        line(1, "}");
        line(0, "");
    }
    [[nodiscard]] std::string parameter_names() const {
        std::string names;
        for (auto& parameter : system_.parameters)
            names += (names.empty() ? "" : ", ") + parameter.name;
        return names;
    }

    void fill() {
        line(1,
             "/// The template's elements that are not always zero; m has kRows x kColumns, row "
             "by row.");
        line(1, "template <class T>");
        line(1, "static TL_D void fill(const T* c, T* m) {");
        for (std::size_t i = 0; i < found_.rows.size(); ++i) {
            auto& row = found_.rows[i];
            auto e = static_cast<std::size_t>(row.equation);
            line(2, "// " + name(row.factor) + " times equation " + text_of(e));
            std::size_t k = first_coefficient_[e];
            for (auto& term : system_.equations[e]) {
                // Columns that never become pivots vanish from the needed rows.
                auto column = place_.find(term.first * row.factor);
                if (column != place_.end())
                    line(2, "m[" + text_of(i * n_columns_ + column->second) + "] = c[" +
                                text_of(k) + "];  // " + name(term.first * row.factor));
                ++k;
            }
        }
        line(1, "}");
        line(0, "");
    }

    void action() {
        line(1, "/// The matrix of multiplication by " +
                    form_text(found_.action, system_.unknowns) +
                    ", kSolutions x kSolutions; r: the reducible monomials as combinations of the "
                    "basis.");
        line(1, "template <class T>");
        line(1, "static TL_D void action(const T* r, T* a) {");
        line(2, "for (int j = 0; j < kSolutions; ++j) {");
        for (std::size_t i = 0; i < n_basis_; ++i) {
            std::string sum, products;
            for (std::size_t k = 0; k < system_.unknowns.size(); ++k)
                if (int scale = found_.action[k]; scale != 0)
                    add_to_action(found_.basis[i] * Monomial::unknown(static_cast<int>(k)), scale,
                                  sum, products);
            line(3, "a[" + text_of(i * n_basis_) + " + j] = " + sum + ";  // " + products);
        }
        line(2, "}");
        line(1, "}");
        line(0, "");
    }
    /// Adds `scale` times a product of the basis to an element of the matrix.
    void add_to_action(const Monomial& product, int scale, std::string& sum,
                       std::string& products) const {
        std::size_t place = place_.at(product) - found_.eliminated.size();
        auto number = "T(" + std::to_string(std::abs(scale)) + ".0)";
        const char* sign = scale < 0 ? (sum.empty() ? "-" : " - ") : (sum.empty() ? "" : " + ");
        sum += sign;
        if (place < found_.reducible.size())
            sum += (std::abs(scale) == 1 ? "" : number + " * ") + "r[" + text_of(place * n_basis_) +
                   " + j]";
        else
            sum += "T(j == " + text_of(place - found_.reducible.size()) + " ? " +
                   std::to_string(std::abs(scale)) + ".0 : 0.0)";
        products += sign + (std::abs(scale) == 1 ? "" : std::to_string(std::abs(scale)) + "*") +
                    name(product);
    }

    void unknowns() {
        line(1,
             "/// The unknowns of a solution: v, the basis at it, whose last element is 1; r as "
             "above; the eigenvalue.");
        line(1, "template <class T>");
        line(1, "static TL_D void unknowns(const T* v, const T* r, T eigenvalue, T* u) {");
        bool uses_v = false, uses_r = false, uses_eigenvalue = false;
        std::size_t first = found_.eliminated.size();
        for (std::size_t i = 0; i < system_.unknowns.size(); ++i) {
            std::string to = "u[" + text_of(i) + "] = ";
            std::size_t place = place_.at(Monomial::unknown(static_cast<int>(i))) - first;
            std::string note = "  // " + system_.unknowns[i];
            if (is_action(i)) {
                line(2, to + "eigenvalue;" + note);
                uses_eigenvalue = true;
            } else if (place >= found_.reducible.size()) {
                line(2, to + "v[" + text_of(place - found_.reducible.size()) + "];" + note);
                uses_v = true;
            } else {
                line(2, to + "T(0.0);" + note);
                line(2, "for (int j = 0; j < kSolutions; ++j) u[" + text_of(i) + "] += r[" +
                            text_of(place * n_basis_) + " + j] * v[j];");
                uses_v = uses_r = true;
            }
        }
        if (!uses_v) line(2, "(void)v;");
        if (!uses_r) line(2, "(void)r;");
        if (!uses_eigenvalue) line(2, "(void)eigenvalue;");
        line(1, "}");
        line(0, "");
    }

    /// Whether the action variable is that unknown alone.
    [[nodiscard]] bool is_action(std::size_t unknown) const {
        LinearForm alone(system_.unknowns.size());
        alone[unknown] = 1;
        return found_.action == alone;
    }

    void residuals() {
        line(1, "/// The equations' values f at u, and their derivatives, kEquations x kUnknowns.");
        line(1, "template <class T>");
        line(1, "static TL_D void residuals(const T* c, const T* u, T* f, T* derivatives) {");
        // Monomials of the equations and their derivatives. Each is computed as one of lower degree
        // times an unknown, so all of these are needed.
        std::set<Monomial> present;
        auto add = [&](Monomial monomial) {
            while (monomial.degree() > 0 && present.insert(monomial).second)
                monomial = without_one(monomial);
        };
        for (auto& equation : system_.equations)
            for (auto& [monomial, sum] : equation) {
                add(monomial);
                for (int i = 0; i < Monomial::kMostUnknowns; ++i)
                    if (monomial.power(i) > 0) add(monomial.without(i));
            }
        std::map<Monomial, std::string> named;
        named[Monomial()] = "T(1.0)";
        for (auto& monomial : present) {
            if (monomial.degree() == 1) {
                named[monomial] = "u[" + text_of(unknown_of(monomial)) + "]";
                continue;
            }
            auto id = "m" + text_of(named.size());
            line(2, "const T " + id + " = " + named.at(without_one(monomial)) + " * u[" +
                        text_of(unknown_of(monomial)) + "];  // " + name(monomial));
            named[monomial] = id;
        }
        std::size_t k = 0;
        for (std::size_t e = 0; e < system_.equations.size(); ++e) {
            std::string value;
            std::vector<std::string> derivative(system_.unknowns.size());
            for (auto& [monomial, sum] : system_.equations[e]) {
                auto c = "c[" + text_of(k++) + "]";
                add_product(value, c, 1, monomial, named);
                for (std::size_t i = 0; i < derivative.size(); ++i) {
                    int power = monomial.power(static_cast<int>(i));
                    if (power > 0)
                        add_product(derivative[i], c, power, monomial.without(static_cast<int>(i)),
                                    named);
                }
            }
            line(2, "f[" + text_of(e) + "] = " + value + ";");
            for (std::size_t i = 0; i < derivative.size(); ++i)
                line(2, "derivatives[" + text_of(e * derivative.size() + i) +
                            "] = " + (derivative[i].empty() ? "T(0.0)" : derivative[i]) + ";");
        }
        line(1, "}");
    }
    /// The first unknown that the monomial has.
    static std::size_t unknown_of(const Monomial& monomial) {
        int i = 0;
        while (monomial.power(i) == 0) ++i;
        return static_cast<std::size_t>(i);
    }
    static Monomial without_one(const Monomial& monomial) {
        return monomial.without(static_cast<int>(unknown_of(monomial)));
    }
    static void add_product(std::string& sum, const std::string& c, int times,
                            const Monomial& monomial,
                            const std::map<Monomial, std::string>& named) {
        if (!sum.empty()) sum += " + ";
        if (times > 1) sum += "T(" + std::to_string(times) + ".0) * ";
        sum += c;
        if (monomial.degree() > 0) sum += " * " + named.at(monomial);
    }

    const PolynomialSystem& system_;
    const EliminationTemplate& found_;
    std::size_t n_basis_, n_columns_ = 0, n_coefficients_ = 0;
    std::map<Monomial, std::size_t> place_;  ///< column of a monomial
    std::vector<std::size_t> first_coefficient_;
    std::string text_;
};

}  // namespace

std::string solver_name(const PolynomialSystem& system) {
    std::string name;
    bool upper = true;
    for (char c : system.name) {
        if (c == '-' || c == '_') {
            upper = true;
            continue;
        }
        name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return name;
}

std::string solver_text(const PolynomialSystem& system, const EliminationTemplate& found) {
    return SolverWriter(system, found).write();
}

namespace {

/// What is proven of the solutions.
std::string separation_text(const EliminationTemplate& found) {
    if (auto doubt = multiplicity_warning(found); !doubt.empty())
        return "Warning: " + doubt + ".\n";
    return "All solutions are distinct, each with an eigenvalue of its own: proven for two random "
           "instances modulo " +
           std::to_string(Residue::kPrime) + ".\n";
}

}  // namespace

std::string multiplicity_warning(const EliminationTemplate& found) {
    if (found.n_distinct == found.basis.size()) return "";
    return "of its " + text_of(found.basis.size()) + " solutions " + text_of(found.n_distinct) +
           " are distinct: some are multiple for all parameters, and are found to half of the "
           "digits or missed; add equations that leave each once";
}

std::string source_text(const PolynomialSystem& system, const EliminationTemplate& found) {
    return SolverWriter(system, found).write_source();
}

std::string kernel_text(const PolynomialSystem& system, const EliminationTemplate& found,
                        bool by_warps) {
    return SolverWriter(system, found).write_kernel(by_warps);
}

std::string template_summary(const PolynomialSystem& system, const EliminationTemplate& found) {
    std::string basis;
    for (auto& monomial : found.basis) basis += concatenated({" ", monomial.text(system.unknowns)});
    int degree = 0;
    for (auto& equation : system.equations)
        degree = std::max(degree, equation.begin()->first.degree());
    return "Equations: " + text_of(system.equations.size()) + ", of degree " +
           std::to_string(degree) + "; multiples of them to degree " +
           std::to_string(found.degree) + ".\nElimination template: " + text_of(found.rows.size()) +
           " x " + text_of(found.rows.size() + found.basis.size()) +
           ".\nSolutions: " + text_of(found.basis.size()) + ". Multiplication by " +
           form_text(found.action, system.unknowns) + " in the basis" + basis + ".\n" +
           separation_text(found);
}

}  // namespace tl::minimal
