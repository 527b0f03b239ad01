//! Operations off the event loop, as promises.

use napi::bindgen_prelude::{AsyncTask, JsObjectValue, ToNapiValue, TypeName};
use napi::{Env, Error, JsValue, Result, Task};
use napi_derive::napi;
use okstra::cli::Failure;
use okstra::context::{self, Context};

/// Asks running work to stop; the promise of that work is then rejected with the code `cancelled`.
#[napi]
#[derive(Default)]
pub struct Cancel(context::Cancel);

#[napi]
impl Cancel {
    /// A flag that is not set.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag. Work that has already ended is not touched.
    #[napi]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

type Work<T> = Box<dyn FnOnce() -> std::result::Result<T, Failure> + Send>;

/// One operation that runs on a thread of libuv.
pub struct Job<T>(Option<Work<T>>);

/// Starts `work` on a snapshot of this process, taken now, on the thread that may change its environment.
pub(crate) fn start<T, W>(cancel: &Cancel, work: W) -> AsyncTask<Job<T>>
where
    T: Send + ToNapiValue + TypeName + 'static,
    W: FnOnce(&Context) -> std::result::Result<T, Failure> + Send + 'static,
{
    let context = crate::run::context().with_cancel(cancel.0.clone());
    AsyncTask::new(Job(Some(Box::new(move || work(&context)))))
}

impl<T: Send + ToNapiValue + TypeName + 'static> Task for Job<T> {
    type Output = Option<std::result::Result<T, Failure>>;
    type JsValue = T;

    /// Never fails and never panics: either would end the process.
    fn compute(&mut self) -> Result<Self::Output> {
        Ok(self.0.take().map(Failure::catch))
    }

    fn resolve(&mut self, env: Env, output: Self::Output) -> Result<T> {
        match output {
            Some(Ok(value)) => Ok(value),
            Some(Err(failure)) => Err(rejection(env, &failure)?),
            None => Err(Error::from_reason("a job runs once")),
        }
    }
}

/// A JavaScript `Error` with `code` and `hint`, with which the promise is rejected as it is.
fn rejection(env: Env, failure: &Failure) -> Result<Error> {
    let mut error = env.create_error(Error::from_reason(failure.text()))?;
    error.set_named_property("code", failure.code())?;
    error.set_named_property("hint", failure.hint())?;
    Ok(Error::from(error.to_unknown()))
}
