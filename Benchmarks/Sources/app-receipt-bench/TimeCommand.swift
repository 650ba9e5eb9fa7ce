/// Times one measure on each input, and prints one line of samples for each.
func time(_ arguments: Arguments) throws {
    let name = try arguments.required("--measure")
    let measure = try Measure(name)
    let sampling = Sampling(
        samples: try arguments.number("--samples", or: 31),
        milliseconds: try arguments.number("--milliseconds", or: 300)
    )
    for input in try arguments.requiredInputs() {
        var workload = try measure.workload(input, arguments.acceleration) {
            try arguments.required("--root")
        }
        let result = try sampling.measure(&workload)
        var object = JSONObject()
        object.add("measure", name)
        object.add("input", fileName(input))
        object.add("bytes", workload.byteCount)
        object.add("distinct", workload.inputCount)
        object.add("operations", result.operations)
        object.add("nanoseconds", result.nanoseconds)
        if let allocations = result.allocations { object.add("allocations", allocations) }
        object.write()
    }
}
