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

/** One operation of one input, as JMH measures it: in a Java machine of its own, which has been warmed up. */
@State(Scope.Benchmark)
public class Measurement {
    /**
     * The compilers work in the foreground. What they make is the same, and a program held to one processor
     * is compiled before it is measured, not beside.
     */
    static final String MACHINE = "-Xbatch";

    /** A warm-up is of runs of this length in milliseconds, as many as it takes. */
    private static final int WARM_UP_RUN = 500;

    @Param("")
    public String measure;

    @Param("")
    public String root;

    @Param("")
    public String input;

    private Subject.Operation operation;

    /** Operations in one sample, and the nanoseconds that one took in each sample. */
    record Samples(long operations, List<Double> nanoseconds) {}

    @Setup
    public void prepare() throws Exception {
        operation = Subject.prepare(measure, root, input).operation();
    }

    /** An operation that fails throws, and ends the run. */
    @Benchmark
    public Object operate() throws Exception {
        return operation.run();
    }

    /**
     * In milliseconds, how long the machine compiles what it finds hot before anything is timed. One sample,
     * the warm-up of other programs, would leave it interpreting. The times of a receipt fall for a quarter
     * of a minute, those of a long digest for some seconds.
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
