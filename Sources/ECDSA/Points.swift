/// A point of a curve other than the point at infinity.
struct AffinePoint<Curve: PrimeCurve>: Sendable, Hashable {
    let x, y: Residue<Curve.Field>

    /// Whether y² = x³ - 3x + b (SEC 1 §3.2.2.1, step 2).
    var isOnCurve: Bool {
        y.squared() == x.squared() * x - (x + x + x) + Residue(form: Curve.b)
    }

    /// The point -P, for this point P.
    var negated: Self { Self(x: x, y: .zero - y) }

    /// The affine forms of points, in order, computed with one inversion for all of them.
    ///
    /// Precondition: none is the point at infinity.
    static func points(_ points: [JacobianPoint<Curve>]) -> [Self] {
        zip(points, Residue.inverses(of: points.map { $0.z })).map { point, scale in
            let square = scale.squared()
            return Self(x: point.x * square, y: point.y * (square * scale))
        }
    }
}

/// A point of a curve in Jacobian coordinates: x = X/Z² and y = Y/Z³. Z is zero for the point at infinity.
///
/// The formulas come from the "Explicit-Formulas Database" of D. J. Bernstein and T. Lange for a = -3,
/// with the multiplications by 2 moved. The formulas for a sum fail for equal points, for opposite points and
/// for the point at infinity. The functions handle these cases first, except one: the point that is added
/// must not be the point at infinity. Products that do not need each other stand side by side, so that the
/// processor can compute them at the same time.
struct JacobianPoint<Curve: PrimeCurve>: Sendable {
    var x, y, z: Residue<Curve.Field>

    /// The Jacobian form of an affine point, with Z = 1.
    init(_ point: AffinePoint<Curve>) { (x, y, z) = (point.x, point.y, .one) }

    /// The point at infinity.
    init() { (x, y, z) = (.one, .one, .zero) }

    var isInfinity: Bool { z.isZero }

    /// The point -P, for this point P.
    var negated: Self {
        var negated = self
        negated.y = .zero - y
        return negated
    }

    /// Replaces P by 2·P. The point at infinity stays the point at infinity: its Z stays zero.
    mutating func double() {
        let twiceY = y + y
        let zz = z.squared()
        let square = twiceY.squared()
        let third = (x - zz) * (x + zz)
        let s = square * x
        z = twiceY * z
        let m = third + third + third
        let eighth = square.squared().halved()
        x = m.squared() - s - s
        y = m * (s - x) - eighth
    }

    /// Replaces P by P + Q.
    mutating func add(_ other: AffinePoint<Curve>) {
        if isInfinity { return self = Self(other) }
        let zz = z.squared()
        add(x, y, other.x * zz, other.y * (zz * z), z)
    }

    /// Replaces P by P + Q. Q must not be the point at infinity.
    mutating func add(_ other: Self) {
        if isInfinity { return self = other }
        let (zz, otherZZ) = (z.squared(), other.z.squared())
        let (zzz, otherZZZ) = (zz * z, otherZZ * other.z)
        add(x * otherZZ, y * otherZZZ, other.x * zz, other.y * zzz, z * other.z)
    }

    /// Replaces P by P + Q. `x1` and `y1` are X and Y of P, and `x2` and `y2` are X and Y of Q, for
    /// coordinates of both points with the common Z = `scale`. Neither point may be the point at infinity.
    @inline(__always)
    private mutating func add(
        _ x1: Residue<Curve.Field>,
        _ y1: Residue<Curve.Field>,
        _ x2: Residue<Curve.Field>,
        _ y2: Residue<Curve.Field>,
        _ scale: Residue<Curve.Field>
    ) {
        let (h, r) = (x2 - x1, y2 - y1)
        if h.isZero {
            // The points are equal or opposite.
            if r.isZero { double() } else { self = Self() }
            return
        }
        let hh = h.squared()
        let rr = r.squared()
        z = scale * h
        let hhh = h * hh
        let v = x1 * hh
        let subtrahend = y1 * hhh
        x = rr - hhh - v - v
        y = r * (v - x) - subtrahend
    }
}
