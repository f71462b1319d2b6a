#!/usr/bin/env python3
"""Writes system_roots.txt: real solutions of random instances of systems/*.txt.

Needs Singular and mpmath (Debian: singular-ui python3-mpmath). This script reads the systems by
itself. Singular finds the Groebner basis of each instance and the multiplication matrix of a
random combination of the unknowns, over the rationals. mpmath finds the matrix's eigenvectors with
80 digits. All solutions must be distinct, and fit the equations to 30 digits.

    tests/solvers/make_system_roots.py > tests/solvers/system_roots.txt
"""
import fractions
import pathlib
import random
import re
import subprocess
import sys

import mpmath

FOLDER = pathlib.Path(__file__).parent
FUNCTIONS = ("det", "trace", "diag", "identity")
PROBLEMS = FOLDER.parent.parent / "solvers" / "minimal" / "problems"
N_INSTANCES = 4
DIGITS = 80


class Polynomial:
    """A polynomial with rational coefficients: {exponents: coefficient}."""

    def __init__(self, terms):
        self.terms = {m: c for m, c in terms.items() if c}

    def __add__(self, other):
        terms = dict(self.terms)
        for m, c in other.terms.items():
            terms[m] = terms.get(m, 0) + c
        return Polynomial(terms)

    def __mul__(self, other):
        terms = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                key = tuple(i + j for i, j in zip(m, n))
                terms[key] = terms.get(key, 0) + c * d
        return Polynomial(terms)

    def text(self, names):
        def product(m):
            return "".join(f"*{x}^{k}" for x, k in zip(names, m) if k)

        return "+".join(f"({c}){product(m)}" for m, c in self.terms.items()) or "0"


class Matrix:
    """A matrix of polynomials; a number is one of 1 x 1."""

    def __init__(self, rows):
        self.rows = rows

    shape = property(lambda self: (len(self.rows), len(self.rows[0])))
    is_number = property(lambda self: self.shape == (1, 1))
    transposed = property(lambda self: Matrix([list(row) for row in zip(*self.rows)]))

    def each(self, function):
        return Matrix([[function(x) for x in row] for row in self.rows])

    def __add__(self, other):
        assert self.shape == other.shape
        return Matrix([[x + y for x, y in zip(a, b)] for a, b in zip(self.rows, other.rows)])

    def __neg__(self):
        return self.each(lambda p: Polynomial({m: -c for m, c in p.terms.items()}))

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        if self.is_number or other.is_number:
            one, rest = (self, other) if self.is_number else (other, self)
            return rest.each(lambda p: one.rows[0][0] * p)
        columns = list(zip(*other.rows))
        return Matrix([[self.dot(row, column) for column in columns] for row in self.rows])

    def __truediv__(self, other):
        ((key, value),) = other.rows[0][0].terms.items()
        assert other.is_number and not any(key)
        return self.each(lambda p: Polynomial({m: c / value for m, c in p.terms.items()}))

    def __pow__(self, exponent):
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __getitem__(self, index):
        """A row, of which a second index gives an element; a vector's element."""
        return Row([self.rows[index]]) if self.shape[1] > 1 else Matrix([self.rows[index]])

    @staticmethod
    def dot(row, column):
        total = Polynomial({})
        for x, y in zip(row, column):
            total = total + x * y
        return total


class Row(Matrix):
    def __getitem__(self, index):
        return Matrix([[self.rows[0][index]]])


def determinant(a):
    if a.is_number:
        return a
    total = None
    for j in range(a.shape[1]):
        minor = Matrix([row[:j] + row[j + 1 :] for row in a.rows[1:]])
        term = Matrix([[a.rows[0][j]]]) * determinant(minor)
        term = -term if j % 2 else term
        total = term if total is None else total + term
    return total


def random_numbers(rng, count):
    """Numbers that doubles hold, none of them zero."""
    return [fractions.Fraction(rng.choice([-1, 1]) * rng.randint(100, 2600), 1024)
            for _ in range(count)]


class System:
    def __init__(self, path):
        self.lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
        self.name = self.words("system")[0]
        self.unknowns = self.words("unknowns")
        self.parameters = []
        for word in self.words("parameters"):
            name, *extents = re.findall(r"\w+", word)
            rows, columns = [int(e) for e in extents + ["1", "1"]][:2]
            self.parameters.append((name, rows, columns))
        self.n_parameters = sum(rows * columns for _, rows, columns in self.parameters)

    def words(self, keyword):
        lines = [line for line in self.lines if line.startswith(keyword + " ")]
        return [word for line in lines for word in line.split()[1:]]

    def constant(self, value):
        return Polynomial({(0,) * len(self.unknowns): fractions.Fraction(value)})

    def number(self, value):
        return Matrix([[self.constant(value)]])

    def equations(self, values):
        """The polynomials, for values of all parameters, row by row."""
        zero = self.constant(0)

        def diagonal(*elements):
            n = len(elements)
            return Matrix([[elements[i].rows[0][0] if i == j else zero for j in range(n)]
                           for i in range(n)])

        def trace(a):
            total = self.number(0)
            for i in range(a.shape[0]):
                total = total + Matrix([[a.rows[i][i]]])
            return total

        known = {
            "det": determinant,
            "trace": trace,
            "diag": diagonal,
            "identity": lambda n: diagonal(*[self.number(1)] * n),
            "number": self.number,
        }
        for i, name in enumerate(self.unknowns):
            powers = tuple(int(i == j) for j in range(len(self.unknowns)))
            known["u_" + name] = Matrix([[Polynomial({powers: fractions.Fraction(1)})]])
        rest = iter(values)
        for name, rows, columns in self.parameters:
            known["u_" + name] = Matrix(
                [[self.constant(next(rest)) for _ in range(columns)] for _ in range(rows)])
        result = []
        for line in self.lines:
            if line.startswith("let "):
                name, expression = line[4:].split("=")
                known["u_" + name.strip()] = self.value(expression, known)
            elif line.startswith("equations "):
                for row in self.value(line[10:], known).rows:
                    result += row
        return result

    @staticmethod
    def value(expression, known):
        """Evaluates an expression of the language as one of Python."""
        words, before = [], ""
        for word in re.findall(r"[A-Za-z_]\w*|\d+|\S", expression):
            if word.isdigit():
                # Indices, exponents and the size of identity() are Python's own numbers.
                own = before in ("[", "^") or words[-2:] == ["identity", "("]
                words.append(word if own else f"number({word})")
            elif word in FUNCTIONS or not (word[0].isalpha() or word[0] == "_"):
                words.append({"'": ".transposed", "^": "**"}.get(word, word))
            else:
                words.append("u_" + word)
            before = word
        return eval("".join(words), {"__builtins__": {}}, known)


def singular(names, polynomials, form):
    """The basis and the matrix of multiplication by `form`, row by row: form * basis[i]."""
    # Names of Singular's own are avoided by numbers.
    own = [f"x({i + 1})" for i in range(len(names))]
    program = f"""ring r = 0, (x(1..{len(names)})), dp;
option(redSB);
ideal I = {", ".join(p.text(own) for p in polynomials)};
ideal G = std(I);
if (dim(G) != 0) {{ "no points"; quit; }}
ideal B = kbase(G);
poly f = {"+".join(f"{c}*{x}" for c, x in zip(form, own))};
short = 0;
int i; int j; poly p;
for (i = 1; i <= size(B); i++) {{ "B " + string(B[i]); }}
for (i = 1; i <= size(B); i++) {{
  p = reduce(f * B[i], G);
  for (j = 1; j <= size(p); j++) {{
    "E " + string(i) + " " + string(leadmonom(p[j])) + " " + string(leadcoef(p[j]));
  }}
}}
quit;
"""
    run = subprocess.run(["Singular", "-q", "--no-rc"], input=program, capture_output=True,
                         text=True, check=True)
    lines = [line.split() for line in run.stdout.splitlines() if not line.startswith("//")]
    lines = [words for words in lines if words]
    basis = [words[1] for words in lines if words[0] == "B"]
    place = {monomial: i for i, monomial in enumerate(basis)}
    matrix = mpmath.zeros(len(basis))
    for words in lines:
        if words[0] == "E":
            matrix[int(words[1]) - 1, place[words[2]]] = number_of(words[3])
        else:
            assert words[0] == "B", (words, run.stdout[:400], run.stderr[:400])
    return basis, matrix


def number_of(fraction):
    top, _, bottom = fraction.partition("/")
    return mpmath.mpf(int(top)) / int(bottom or "1")


def value_at(polynomial, point):
    """The value, and the sum of its terms' magnitudes."""
    total, size = mpmath.mpf(0), mpmath.mpf(0)
    for m, c in polynomial.terms.items():
        term = mpmath.mpf(c.numerator) / c.denominator
        for x, k in zip(point, m):
            term *= x**k
        total, size = total + term, size + abs(term)
    return total, size


def improved(polynomials, point):
    """A point after steps of Gauss and Newton, which overcome cancellation in the matrix."""
    n = len(point)
    for _ in range(6):
        f, derivatives = mpmath.matrix(len(polynomials), 1), mpmath.matrix(len(polynomials), n)
        for e, p in enumerate(polynomials):
            f[e] = value_at(p, point)[0]
            for i in range(n):
                slope = {m[:i] + (m[i] - 1,) + m[i + 1 :]: c * m[i]
                         for m, c in p.terms.items() if m[i]}
                derivatives[e, i] = value_at(Polynomial(slope), point)[0]
        step = mpmath.lu_solve(derivatives.H * derivatives, derivatives.H * f)
        point = [x - step[i] for i, x in enumerate(point)]
        if mpmath.norm(step) < mpmath.mpf(10) ** (-DIGITS // 2) * (1 + mpmath.norm(point)):
            break
    return point


def solutions(system, values, rng):
    """All complex solutions."""
    polynomials = system.equations(values)
    n = len(system.unknowns)
    form = [rng.randint(100, 999) for _ in range(n)]
    basis, matrix = singular(system.unknowns, polynomials, form)
    if not basis:
        return []
    eigenvalues, vectors = mpmath.eig(matrix)
    one = basis.index("1")
    result = []
    # Each unknown is a monomial of the basis, or its own matrix gives it.
    others = {}
    for i in range(n):
        if f"x({i + 1})" not in basis:
            others[i] = singular(system.unknowns, polynomials,
                                 [int(i == j) for j in range(n)])[1]
    for k in range(len(basis)):
        v = vectors[:, k] / vectors[one, k]
        point = []
        for i in range(n):
            if i in others:
                point.append((others[i][one, :] * v)[0])
            else:
                point.append(v[basis.index(f"x({i + 1})")])
        point = improved(polynomials, point)
        for p in polynomials:
            value, size = value_at(p, point)
            assert abs(value) <= mpmath.mpf(10) ** -30 * (1 + size), (system.name, value)
        result.append(point)
    for i, a in enumerate(result):
        for b in result[:i]:
            assert mpmath.norm([x - y for x, y in zip(a, b)]) > 1e-20, "multiple solutions"
    return result


def main():
    mpmath.mp.dps = DIGITS
    print("# Real solutions of instances of the systems in systems/ and solvers/minimal/problems/.")
    print("# Written by make_system_roots.py (Singular and mpmath). For each system: its file,")
    print("# number of complex solutions and instances; for each instance its parameters, number")
    print("# of real solutions, and these.")
    paths = sorted(FOLDER.glob("systems/*.txt")) + sorted(PROBLEMS.glob("*.txt"))
    for path in paths:
        if len(sys.argv) > 1 and path.stem not in sys.argv[1:]:
            continue
        rng = random.Random(path.stem)
        system = System(path)
        blocks = []
        n_solutions = None
        n_tries = 0
        # Instances without real solutions say little; at most one is kept.
        n_empty = 0
        while len(blocks) < N_INSTANCES:
            n_tries += 1
            values = random_numbers(rng, system.n_parameters)
            found = solutions(system, values, rng)
            assert n_solutions in (None, len(found)), (path, n_solutions, len(found))
            n_solutions = len(found)
            # A complex solution's mirror image is one, so that no real one has a tiny imaginary
            # part that is its own.
            real = sorted([float(mpmath.re(x)) for x in point] for point in found
                          if all(abs(mpmath.im(x)) < mpmath.mpf(10) ** -30 * (1 + abs(x))
                                 for x in point))
            n_empty += not real
            if not real and (n_empty > 1 and n_tries < 60):
                continue
            block = [" ".join(repr(float(v)) for v in values), str(len(real))]
            block += [" ".join(repr(x) for x in point) for point in real]
            blocks.append("\n".join(block))
        print(path.relative_to(FOLDER.parent.parent), n_solutions, len(blocks))
        print("\n".join(blocks), flush=True)
        print(path.stem, n_solutions, n_tries, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
