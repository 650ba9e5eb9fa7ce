package peer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One operation on one input, measured by JMH in a separate Java machine after a warm-up. */
@State(Scope.Benchmark)
public class Measurement {
    /**
     * Makes the compilers work in the foreground. They produce the same code. On one processor, the program
     * is then compiled before it is measured, not at the same time.
     */
    static final String MACHINE = "-Xbatch";

    /** The length of one warm-up run, in milliseconds. A warm-up has several. */
    private static final int WARM_UP_RUN = 500;

    @Param("")
    public String measure;

    @Param("")
    public String root;

    @Param("")
    public String input;

    private Subject.Operation operation;

    /** The number of operations in one sample, and the nanoseconds of one operation in each sample. */
    record Samples(long operations, List<Double> nanoseconds) {}

    @Setup
    public void prepare() throws Exception {
        operation = Subject.prepare(measure, root, input).operation();
    }

    /** Runs the operation once. A failed operation throws, which ends the run. */
    @Benchmark
    public Object operate() throws Exception {
        return operation.run();
    }

    /**
     * Returns the length of the warm-up in milliseconds, in which the Java machine compiles the hot code.
     * Other programs warm up for one sample, after which the Java machine would still interpret the code. The
     * times of a receipt fall for a quarter of a minute, and the times of a long digest for some seconds.
     */
    static int warmUp(String measure) {
        return measure.equals("uncached") || measure.equals("cached") ? 20_000 : 8_000;
    }

    static Samples run(String measure, String root, String input, int samples, int milliseconds, int warmUp)
            throws RunnerException {
        Options options = new OptionsBuilder()
                .include("^" + Measurement.class.getName() + "\\.operate$")
                .param("measure", measure)
                .param("root", root)
                .param("input", input)
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .forks(1)
                .jvmArgsAppend(MACHINE)
                .threads(1)
                .warmupIterations(Math.max(1, warmUp / WARM_UP_RUN))
                .warmupTime(TimeValue.milliseconds(WARM_UP_RUN))
                .measurementIterations(samples)
                .measurementTime(TimeValue.nanoseconds(TimeUnit.MILLISECONDS.toNanos(milliseconds) / samples))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        BenchmarkResult result = new Runner(options).runSingle().getBenchmarkResults().iterator().next();
        List<Double> nanoseconds = new ArrayList<>();
        for (IterationResult iteration : result.getIterationResults()) {
            nanoseconds.add(iteration.getPrimaryResult().getScore());
        }
        return new Samples(result.getMetadata().getMeasurementOps() / samples, nanoseconds);
    }
}
