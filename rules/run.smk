# The run is born when the plan holds something to ask, never in a dry run, and closed from its evidence.
onstart:
    gc.freeze()
    gc.enable()
    try:
        DMB.look_over(workflow)
        DMB.start(workflow.dag.needrun_jobs(), workflow.touch, workflow.local_exec)
        DMB.submit_anew(workflow)
    except DmbError as e:
        refuse(e)


onsuccess:
    DMB.end(success=True)


onerror:
    DMB.end(success=False)
